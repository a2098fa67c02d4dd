#pragma once

#include <source_location>
#include <string_view>

namespace ringside {

/// Prints where and what on stderr, then aborts. Never returns; used through RS_ASSERT only.
[[noreturn]] void assertion_failed(std::string_view condition, std::string_view message,
                                   std::source_location where);

}  // namespace ringside

/// A bug of ours (never bad input). Always on, in every build type: a wrong number is worse than a
/// stop.
#define RS_ASSERT(condition, message)                                                     \
  do {                                                                                    \
    if (!(condition)) [[unlikely]]                                                        \
      ::ringside::assertion_failed(#condition, message, std::source_location::current()); \
  } while (false)
