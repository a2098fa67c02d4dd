#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringside {

/// Foreign text as an error may show it: in quotes, cut to 64 bytes, control characters (a terminal
/// would obey them) replaced by `?`.
std::string in_quotes(std::string_view text);

/// `row` of one, `rows` of another number; the thing is in the singular, its plural has an s.
std::string plural(std::uint64_t number, std::string_view thing);
/// `1 row`, `2 rows`.
std::string counted(std::uint64_t number, std::string_view thing);

/// One word for a shell: as it is where a shell leaves it alone, else in single quotes.
std::string shell_word(std::string_view text);

/// The known name nearest to `text` by edit distance, letter case and `-`, `_`, space aside; else
/// the only one that contains it or lies in it; or empty if none is near.
std::string_view nearest(std::string_view text, std::span<const std::string_view> known);

/// `there is no collective "all_redcue"; did you mean all_reduce?` or, with none near, the list.
std::string unknown(std::string_view what, std::string_view text,
                    std::span<const std::string_view> known);

}  // namespace ringside
