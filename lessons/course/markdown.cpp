#include "lessons/course/markdown.hpp"

#include <md4c.h>

#include <algorithm>
#include <utility>

namespace ringside::lessons {
namespace {

std::string utf8(std::uint32_t code) {
  const auto low = [](std::uint32_t bits) { return static_cast<char>(0x80 | (bits & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | (code >> 6)), low(code)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | (code >> 12)), low(code >> 6), low(code)};
  return {static_cast<char>(0xf0 | (code >> 18)), low(code >> 12), low(code >> 6), low(code)};
}

/// `&amp;` and the few others that people write, and numbers; all else stays as it is written.
std::string entity(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"&amp;", "&"},  {"&lt;", "<"},    {"&gt;", ">"},   {"&quot;", "\""},
      {"&nbsp;", " "}, {"&times;", "×"}, {"&mdash;", "—"}};
  for (const auto& [name, meaning] : names)
    if (text == name) return std::string(meaning);
  if (!text.starts_with("&#") || text.size() < 4) return std::string(text);
  const bool is_hex = text[2] == 'x' || text[2] == 'X';
  const std::string digits(text.substr(is_hex ? 3 : 2, text.size() - (is_hex ? 4 : 3)));
  const auto code = std::strtoul(digits.c_str(), nullptr, is_hex ? 16 : 10);
  const bool is_letter = code >= 0x20 && code < 0x110000 && (code < 0xd800 || code > 0xdfff);
  return is_letter ? utf8(static_cast<std::uint32_t>(code)) : std::string("\xef\xbf\xbd");
}

/// What md4c tells, as blocks.
class Reader {
 public:
  static int enter_block(MD_BLOCKTYPE type, void* detail, void* self) {
    static_cast<Reader*>(self)->enter(type, detail);
    return 0;
  }
  static int leave_block(MD_BLOCKTYPE type, void* /*detail*/, void* self) {
    static_cast<Reader*>(self)->leave(type);
    return 0;
  }
  static int enter_span(MD_SPANTYPE type, void* detail, void* self) {
    static_cast<Reader*>(self)->style(type, detail, true);
    return 0;
  }
  static int leave_span(MD_SPANTYPE type, void* detail, void* self) {
    static_cast<Reader*>(self)->style(type, detail, false);
    return 0;
  }
  static int text(MD_TEXTTYPE type, const MD_CHAR* letters, MD_SIZE size, void* self) {
    static_cast<Reader*>(self)->add(type, {letters, size});
    return 0;
  }

  std::vector<Block> blocks;

 private:
  void enter(MD_BLOCKTYPE type, void* detail);
  void leave(MD_BLOCKTYPE type);
  void style(MD_SPANTYPE type, void* detail, bool on);
  void add(MD_TEXTTYPE type, std::string_view letters);

  struct List {
    bool is_numbered = false;
    std::uint32_t next = 1;
  };
  Block& open(BlockKind kind, std::uint32_t level = 0) {
    blocks.push_back({.kind = kind, .level = level});
    line_ = nullptr;
    return blocks.back();
  }
  /// Where text goes: within tight items md4c tells of no paragraph.
  TextLine& line();
  void start_paragraph();

  std::vector<List> lists_;
  std::string marker_;  ///< of an item that has no block yet
  std::uint32_t quotes_ = 0, strong_ = 0, emphasis_ = 0, code_ = 0;
  std::vector<std::string> links_;
  TextLine* line_ = nullptr;
};

void Reader::start_paragraph() {
  if (quotes_ > 0 && lists_.empty()) {
    line_ = &open(BlockKind::quote, quotes_).line;
  } else if (!lists_.empty()) {
    Block& item = open(BlockKind::item, static_cast<std::uint32_t>(lists_.size()));
    item.marker = std::exchange(marker_, "");
    line_ = &item.line;
  } else {
    line_ = &open(BlockKind::paragraph).line;
  }
}

TextLine& Reader::line() {
  if (line_ == nullptr) start_paragraph();
  return *line_;
}

void Reader::enter(MD_BLOCKTYPE type, void* detail) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      ++quotes_;
      break;
    case MD_BLOCK_UL:
      lists_.push_back({});
      break;
    case MD_BLOCK_OL:
      lists_.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
      break;
    case MD_BLOCK_LI:
      marker_ = lists_.back().is_numbered ? std::to_string(lists_.back().next++) + "." : "-";
      break;
    case MD_BLOCK_P:
      start_paragraph();
      return;
    case MD_BLOCK_H:
      line_ = &open(BlockKind::heading, static_cast<MD_BLOCK_H_DETAIL*>(detail)->level).line;
      return;
    case MD_BLOCK_CODE:
    case MD_BLOCK_HTML:
      line_ = &open(BlockKind::code).line;
      return;
    case MD_BLOCK_HR:
      open(BlockKind::rule);
      break;
    case MD_BLOCK_TABLE:
      open(BlockKind::table);
      return;
    case MD_BLOCK_TR:
      blocks.back().rows.emplace_back();
      return;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      line_ = &blocks.back().rows.back().emplace_back();
      return;
    default:
      return;
  }
  line_ = nullptr;
}

void Reader::leave(MD_BLOCKTYPE type) {
  if (type == MD_BLOCK_QUOTE) --quotes_;
  if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) lists_.pop_back();
  if (type == MD_BLOCK_LI && !marker_.empty()) start_paragraph();  // an empty item
  if (type != MD_BLOCK_TH && type != MD_BLOCK_TD) line_ = nullptr;
}

void Reader::style(MD_SPANTYPE type, void* detail, bool on) {
  const auto count = [on](std::uint32_t& depth) { depth += on ? 1u : -1u; };
  if (type == MD_SPAN_STRONG) count(strong_);
  if (type == MD_SPAN_EM) count(emphasis_);
  if (type == MD_SPAN_CODE) count(code_);
  if (type != MD_SPAN_A) return;
  if (!on) {
    links_.pop_back();
    return;
  }
  const auto& target = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
  links_.emplace_back(target.text == nullptr ? "" : target.text, target.size);
}

void Reader::add(MD_TEXTTYPE type, std::string_view letters) {
  TextSpan span{.text = std::string(letters),
                .strong = strong_ > 0,
                .emphasis = emphasis_ > 0,
                .code = code_ > 0,
                .link = links_.empty() ? "" : links_.back()};
  if (type == MD_TEXT_BR) span.text = "\n";
  if (type == MD_TEXT_SOFTBR) span.text = " ";
  if (type == MD_TEXT_NULLCHAR) span.text = "\xef\xbf\xbd";
  if (type == MD_TEXT_ENTITY) span.text = entity(letters);
  TextLine& into = line();
  const auto looks_like = [](TextSpan a, const TextSpan& b) {
    a.text = b.text;
    return a == b;
  };
  if (!into.empty() && looks_like(into.back(), span))
    into.back().text += span.text;
  else
    into.push_back(std::move(span));
}

bool is_id(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_letter);
}

/// Takes `[[id]]` out of the text around it.
void find_blanks(TextLine& line) {
  TextLine found;
  for (TextSpan& span : line) {
    std::string_view rest = span.text;
    const auto keep = [&](std::string_view text) {
      if (text.empty()) return;
      found.push_back(span);
      found.back().text = text;
    };
    for (std::size_t from = 0; !span.code;) {
      const auto begin = rest.find("[[", from);
      if (begin == rest.npos) break;
      const auto end = rest.find("]]", begin);
      if (end == rest.npos) break;
      const auto id = rest.substr(begin + 2, end - begin - 2);
      from = begin + 2;
      if (!is_id(id)) continue;
      keep(rest.substr(0, begin));
      found.push_back({.strong = span.strong, .emphasis = span.emphasis, .blank = std::string(id)});
      rest.remove_prefix(end + 2);
      from = 0;
    }
    keep(rest);
  }
  line = std::move(found);
}

}  // namespace

std::vector<Block> parse_markdown(std::string_view text) {
  Reader reader;
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
  parser.enter_block = Reader::enter_block;
  parser.leave_block = Reader::leave_block;
  parser.enter_span = Reader::enter_span;
  parser.leave_span = Reader::leave_span;
  parser.text = Reader::text;
  md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &reader);
  for (Block& block : reader.blocks) {
    if (block.kind == BlockKind::code) continue;
    find_blanks(block.line);
    for (auto& row : block.rows)
      for (TextLine& cell : row) find_blanks(cell);
  }
  return std::move(reader.blocks);
}

std::string plain_text(const TextLine& line) {
  std::string text;
  for (const TextSpan& span : line) text += span.blank.empty() ? span.text : "____";
  return text;
}

std::string plain_text(const std::vector<Block>& blocks) {
  std::string text;
  for (const Block& block : blocks) {
    if (block.kind != BlockKind::table && block.kind != BlockKind::rule)
      text += plain_text(block.line) + "\n";
    for (const auto& row : block.rows) {
      for (std::size_t i = 0; i < row.size(); ++i)
        text += (i == 0 ? "" : " | ") + plain_text(row[i]);
      text += "\n";
    }
  }
  return text;
}

}  // namespace ringside::lessons
