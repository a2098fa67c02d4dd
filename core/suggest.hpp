#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ringside {

/// The known name nearest to `text` by edit distance, or empty if none is near.
std::string_view nearest(std::string_view text, std::span<const std::string_view> known);

/// `there is no collective "all_redcue"; did you mean all_reduce?` or, with none near, the list.
std::string unknown(std::string_view what, std::string_view text,
                    std::span<const std::string_view> known);

}  // namespace ringside
