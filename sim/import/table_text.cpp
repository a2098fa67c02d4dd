#include "sim/import/table_text.hpp"

#include <cctype>

namespace ringside::sim {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

std::string clean_line(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool escape = c == '\x1b';
    const std::size_t bracket = escape ? i + 1 : i;
    if (bracket < line.size() && line[bracket] == '[') {
      std::size_t end = bracket + 1;
      while (end < line.size() && (std::isdigit(static_cast<unsigned char>(line[end])) != 0 ||
                                   line[end] == ';' || line[end] == '?'))
        ++end;
      const bool colour = end < line.size() && line[end] == 'm';
      if (colour || (escape && end < line.size())) {
        i = end;
        continue;
      }
    }
    if (line.substr(i).starts_with("\xC2\xA0")) {
      out += ' ';
      ++i;
    } else if (c == '>') {  // quoting, or the end of mpirun's `[1,0]<stdout>:`
      out += ' ';
      if (line.substr(i).starts_with(">:")) ++i;
    } else if (!escape && c != '\r' && c != '*' && c != '`' && c != '\0') {
      out += c;
    }
  }
  return out;
}

Words split_words(std::string_view line) {
  Words words;
  for (std::size_t i = 0; i < line.size();) {
    if (is_blank(line[i]) || line[i] == '|') {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < line.size() && !is_blank(line[i]) && line[i] != '|') ++i;
    words.emplace_back(line.substr(begin, i - begin));
  }
  return words;
}

Words split_cells(std::string_view line, char mark) {
  Words cells;
  while (true) {
    const std::size_t end = line.find(mark);
    std::string_view cell = line.substr(0, end);
    while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
    if (!cells.empty() || !cell.empty()) cells.emplace_back(cell);
    if (end == line.npos) break;
    line.remove_prefix(end + 1);
  }
  if (mark == '|' && !cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

}  // namespace ringside::sim
