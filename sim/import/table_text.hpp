#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::sim {

using Words = std::vector<std::string>;

/// A pasted line without colour codes (even if the paste lost their escape character), Markdown
/// emphasis, quoting, non-breaking spaces.
std::string clean_line(std::string_view line);
/// What blanks, tabs and Markdown's bars separate.
Words split_words(std::string_view line);
/// Cells between `mark`s, trimmed, empty ones kept; what stands before the first non-empty cell is
/// indentation.
Words split_cells(std::string_view line, char mark);

}  // namespace ringside::sim
