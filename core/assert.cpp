#include "core/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace ringside {

void assertion_failed(std::string_view condition, std::string_view message,
                      std::source_location where) {
  std::fprintf(stderr, "%s:%u: bug in ringside: %.*s (%.*s is false)\n", where.file_name(),
               static_cast<unsigned>(where.line()), static_cast<int>(message.size()),
               message.data(), static_cast<int>(condition.size()), condition.data());
  std::abort();
}

}  // namespace ringside
