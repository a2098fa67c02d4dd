#include "viz/terminal/prose_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "lessons/course/markdown.hpp"

namespace ringside::terminal {
namespace {

using lessons::Block;
using lessons::BlockKind;
using lessons::TextLine;
using lessons::TextSpan;

/// One letter of UTF-8 text, and how it is shown.
struct Letter {
  std::string bytes;
  std::size_t columns = 1;
  bool strong = false;
};

std::size_t length(unsigned char first) {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/// East Asian letters and signs, which take two columns.
bool is_wide(std::string_view letter) {
  if (letter.size() < 3) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(letter[i]); };
  if (letter.size() == 4) return byte(1) >= 0x9f;
  const unsigned code = (byte(0) & 0xfu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
  return (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) ||
         (code >= 0xf900 && code <= 0xfaff) || (code >= 0xff01 && code <= 0xff60);
}

std::vector<Letter> letters_of(std::string_view text, bool strong) {
  std::vector<Letter> found;
  for (std::size_t i = 0; i < text.size();) {
    const auto size = std::min(length(static_cast<unsigned char>(text[i])), text.size() - i);
    const auto bytes = text.substr(i, size);
    found.push_back({std::string(bytes), is_wide(bytes) ? 2u : 1u, strong});
    i += size;
  }
  return found;
}

std::vector<Letter> letters_of(const TextLine& line) {
  std::vector<Letter> all;
  for (const TextSpan& span : line) {
    const auto text = span.blank.empty() ? span.text : "[" + span.blank + ": ____]";
    for (Letter& letter : letters_of(text, span.strong)) all.push_back(std::move(letter));
  }
  return all;
}

/// No line begins with one of these.
bool closes(const Letter& letter) {
  static constexpr std::string_view marks[] = {"，", "。", "；", "：", "、",
                                               "？", "！", "）", "”",  "》"};
  return std::find(std::begin(marks), std::end(marks), letter.bytes) != std::end(marks);
}

class Wrapper {
 public:
  Wrapper(std::size_t columns, const Style& style) : columns_(columns), style_(style) {}

  /// The first line begins with `first`, the others with as many blanks.
  std::string wrapped(const std::vector<Letter>& all, const std::string& first) const {
    std::string text;
    const auto indent = columns_of(first);
    const auto room = std::max<std::size_t>(columns_ > indent ? columns_ - indent : 0, 8);
    for (std::size_t begin = 0; begin < all.size() || begin == 0;) {
      const auto end = line_end(all, begin, room);
      text += (begin == 0 ? first : std::string(indent, ' ')) + said(all, begin, end) + "\n";
      begin = end;
      while (begin < all.size() && (all[begin].bytes == " " || all[begin].bytes == "\n")) ++begin;
      if (all.empty()) break;
    }
    return text;
  }

 private:
  static std::size_t line_end(const std::vector<Letter>& all, std::size_t begin, std::size_t room) {
    std::size_t used = 0, last_break = begin;
    for (std::size_t i = begin; i < all.size(); ++i) {
      if (all[i].bytes == "\n") return i;
      const bool may_break =
          i > begin && (all[i].bytes == " " || all[i].columns == 2 || all[i - 1].columns == 2) &&
          !closes(all[i]);
      if (may_break) last_break = i;
      used += all[i].columns;
      if (used > room) return last_break > begin ? last_break : i;
    }
    return all.size();
  }
  std::string said(const std::vector<Letter>& all, std::size_t begin, std::size_t end) const {
    std::string text;
    bool strong = false;
    for (std::size_t i = begin; i < end; ++i) {
      if (style_.colour && all[i].strong != strong) text += strong ? "\033[0m" : "\033[1m";
      strong = all[i].strong;
      text += all[i].bytes;
    }
    return text + (style_.colour && strong ? "\033[0m" : "");
  }

  std::size_t columns_;
  const Style& style_;
};

std::string draw_table(const Block& block) {
  std::vector<std::size_t> widths;
  const auto cell = [](const TextLine& line) { return lessons::plain_text(line); };
  for (const auto& row : block.rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], columns_of(cell(row[i])));
    }
  std::string text;
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < block.rows[r].size(); ++i) {
      const auto said = cell(block.rows[r][i]);
      line += "  " + said + std::string(widths[i] - columns_of(said), ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (r > 0) continue;
    for (const auto width : widths) text += "  " + std::string(width, '-');
    text += "\n";
  }
  return text;
}

std::string draw_block(const Block& block, const Wrapper& wrapper) {
  switch (block.kind) {
    case BlockKind::table:
      return draw_table(block);
    case BlockKind::rule:
      return "----\n";
    case BlockKind::code: {
      auto text = lessons::plain_text(block.line);
      while (text.ends_with('\n')) text.pop_back();
      std::string shown = "    ";
      for (const char c : text) shown += c == '\n' ? "\n    " : std::string(1, c);
      return shown + "\n";
    }
    case BlockKind::item: {
      const std::string indent(2 * block.level, ' ');
      return wrapper.wrapped(letters_of(block.line),
                             indent + (block.marker.empty() ? "  " : block.marker + " "));
    }
    case BlockKind::quote:
      return wrapper.wrapped(letters_of(block.line), "  > ");
    case BlockKind::heading:
    case BlockKind::paragraph:
      break;
  }
  return wrapper.wrapped(letters_of(block.line), "");
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const Letter& letter : letters_of(text, false)) columns += letter.columns;
  return columns;
}

std::string draw_prose(std::string_view markdown, std::size_t columns, const Style& style) {
  const Wrapper wrapper(columns, style);
  std::string text;
  const Block* before = nullptr;
  const auto blocks = lessons::parse_markdown(markdown);
  for (const Block& block : blocks) {
    const bool in_list =
        before != nullptr && before->kind == BlockKind::item && block.kind == BlockKind::item;
    if (before != nullptr && !in_list) text += "\n";
    text += draw_block(block, wrapper);
    before = &block;
  }
  return text;
}

}  // namespace ringside::terminal
