#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "viz/terminal/state_view.hpp"

namespace ringside::terminal {

/// Markdown as a terminal shows it: wrapped to `columns` (Chinese takes two a character), bold
/// where there is colour, blanks as `[id: ____]`, tables in columns. Ends with a line break, or is
/// empty.
std::string draw_prose(std::string_view markdown, std::size_t columns, const Style& style);

/// Columns that a text takes: two for Chinese, Japanese and Korean letters and full-width signs.
std::size_t columns_of(std::string_view text);

}  // namespace ringside::terminal
