// A parser for the TOML that people write for us: tables, arrays of tables, dotted and quoted keys,
// strings of one line, whole numbers, booleans, arrays, inline tables. toml++ 3.3, which Debian 12
// has, runs into its own assertions on malformed text, and into undefined behaviour when they are
// compiled out; files from strangers must get a sentence instead.

#include <algorithm>
#include <charconv>

#include "sim/strict_toml.hpp"
#include "sim/utf8.hpp"

namespace ringside::sim {
namespace {

constexpr std::size_t most_text = 8u << 20;
constexpr std::size_t most_nesting = 32, most_keys = 256;

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// What a float, a date or a time may be made of; anything else that is bare forgot its quotes.
bool is_number_like(std::string_view token) {
  return token.find_first_not_of("0123456789+-_.:eETZ") == std::string_view::npos ||
         token == "inf" || token == "nan" || token.starts_with("0x");
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<TomlValue> parse() {
    TomlValue root{.line = 1, .value = TomlValue::Table{}};
    TomlValue* table = &root;
    for (skip_lines(); !at_end(); skip_lines()) {
      if (peek() == '[') {
        RS_ASSIGN(table, header(root));
      } else {
        RS_TRY(key_value(*table, 0));
      }
      RS_TRY(end_of_line());
    }
    return root;
  }

 private:
  using Keys = std::vector<std::string>;

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  tl::unexpected<Error> fail(std::string_view sentence) const {
    return bad_request(std::string(file_) + ":" + std::to_string(line_) + ": " +
                       std::string(sentence));
  }
  tl::unexpected<Error> expected(std::string_view what) const {
    return fail("this is not TOML: expected " + std::string(what));
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }

  void skip_lines() {
    for (skip_blanks(); take("\n") || take("\r\n"); skip_blanks()) ++line_;
  }

  Result<void> end_of_line() {
    skip_blanks();
    if (at_end() || peek() == '\n' || text_.substr(at_).starts_with("\r\n")) return {};
    return expected("the end of the line");
  }

  /// `kinds.nvlink`, `"gpu0"."x"`.
  Result<Keys> keys() {
    Keys path;
    do {
      skip_blanks();
      if (peek() == '"' || peek() == '\'') {
        RS_ASSIGN(auto key, string());
        path.push_back(std::move(key));
      } else {
        const auto begin = at_;
        while (is_bare(peek())) ++at_;
        if (at_ == begin) return expected("a name");
        path.emplace_back(text_.substr(begin, at_ - begin));
      }
      if (path.size() > most_nesting) return fail("this is nested too deep");
      skip_blanks();
    } while (take("."));
    return path;
  }

  static TomlValue* find(TomlValue& table, std::string_view key) {
    for (auto& entry : std::get<TomlValue::Table>(table.value))
      if (entry.key == key) return &entry.value;
    return nullptr;
  }

  Result<TomlValue*> insert(TomlValue& table, std::string key, TomlValue value) {
    auto& entries = std::get<TomlValue::Table>(table.value);
    if (entries.size() == most_keys) return fail("a table has 256 keys at most");
    entries.push_back({std::move(key), std::move(value)});
    return &entries.back().value;
  }

  /// The table under `key`, made if it is not there; of an array of tables, the last one.
  Result<TomlValue*> enter(TomlValue& table, const std::string& key) {
    auto* found = find(table, key);
    if (found == nullptr)
      return insert(table, key, TomlValue{.line = line_, .value = TomlValue::Table{}});
    if (found->closed) return fail("\"" + key + "\" is complete already");
    if (auto* array = std::get_if<TomlValue::Array>(&found->value)) return &array->back();
    if (std::holds_alternative<TomlValue::Table>(found->value)) return found;
    return fail("\"" + key + "\" is no table");
  }

  /// `[kinds.nvlink]` or `[[links]]`: the table that the lines below fill.
  Result<TomlValue*> header(TomlValue& root) {
    const bool list = take("[[");
    if (!list) take("[");
    RS_ASSIGN(const auto path, keys());
    if (!take(list ? "]]" : "]")) return expected(list ? "]]" : "]");
    auto* table = &root;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      RS_ASSIGN(table, enter(*table, path[i]));
    }
    return list ? append(*table, path.back()) : open(*table, path.back());
  }

  Result<TomlValue*> append(TomlValue& table, const std::string& key) {
    auto* found = find(table, key);
    if (found == nullptr) {
      RS_ASSIGN(found, insert(table, key, TomlValue{.line = line_, .value = TomlValue::Array{}}));
    }
    auto* array = std::get_if<TomlValue::Array>(&found->value);
    if (array == nullptr || found->closed) return fail("\"" + key + "\" was something else above");
    array->push_back(TomlValue{.line = line_, .value = TomlValue::Table{}});
    return &array->back();
  }

  /// `[a]` may follow `[a.b]`, but no line may define what another one has.
  Result<TomlValue*> open(TomlValue& table, const std::string& key) {
    if (const auto* found = find(table, key); found != nullptr) {
      const auto* entries = std::get_if<TomlValue::Table>(&found->value);
      const auto is_table = [](const TomlEntry& entry) {
        return std::holds_alternative<TomlValue::Table>(entry.value.value);
      };
      if (entries == nullptr || !std::all_of(entries->begin(), entries->end(), is_table))
        return fail("\"" + key + "\" was written above already");
    }
    return enter(table, key);
  }

  Result<void> key_value(TomlValue& into, std::size_t depth) {
    RS_ASSIGN(const auto path, keys());
    if (!take("=")) return expected("= and a value after " + path.back());
    auto* table = &into;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      RS_ASSIGN(table, enter(*table, path[i]));
    }
    if (find(*table, path.back()) != nullptr)
      return fail("\"" + path.back() + "\" was written above already");
    RS_ASSIGN(auto parsed, value(depth + path.size()));
    RS_TRY(insert(*table, path.back(), std::move(parsed)));
    return {};
  }

  Result<TomlValue> value(std::size_t depth) {
    if (depth > most_nesting) return fail("this is nested too deep");
    skip_blanks();
    TomlValue parsed{.line = line_, .value = {}};
    if (peek() == '"' || peek() == '\'') {
      RS_ASSIGN(parsed.value, string());
    } else if (take("[")) {
      parsed.closed = true;
      RS_ASSIGN(parsed.value, array(depth));
    } else if (take("{")) {
      RS_TRY(inline_table(parsed, depth));
      parsed.closed = true;
    } else {
      RS_TRY(scalar(parsed));
    }
    return parsed;
  }

  Result<void> scalar(TomlValue& parsed) {
    const auto begin = at_;
    while (is_bare(peek()) || peek() == '+' || peek() == '.' || peek() == ':') ++at_;
    auto token = std::string(text_.substr(begin, at_ - begin));
    if (token == "true" || token == "false") {
      parsed.value = token == "true";
      return {};
    }
    if (token.empty() || !is_number_like(token))
      return expected("a value; text goes in \"quotes\"");
    std::erase(token, '_');
    if (token.starts_with('+')) token.erase(0, 1);
    std::int64_t number = 0;
    const auto* last = token.data() + token.size();
    const auto [end, error] = std::from_chars(token.data(), last, number);
    if (error == std::errc{} && end == last) parsed.value = number;
    return {};
  }

  Result<TomlValue::Array> array(std::size_t depth) {
    TomlValue::Array elements;
    for (skip_lines(); !take("]"); skip_lines()) {
      RS_ASSIGN(auto element, value(depth + 1));
      elements.push_back(std::move(element));
      skip_lines();
      if (!take(",") && peek() != ']') return expected(", or ] in this list");
    }
    return elements;
  }

  Result<void> inline_table(TomlValue& table, std::size_t depth) {
    table.value = TomlValue::Table{};
    for (skip_blanks(); !take("}"); skip_blanks()) {
      RS_TRY(key_value(table, depth + 1));
      skip_blanks();
      if (!take(",") && peek() != '}') return expected(", or } on this line");
    }
    return {};
  }

  Result<std::string> string() {
    const char quote = text_[at_];
    if (text_.substr(at_, 3) == std::string(3, quote))
      return fail("strings of several lines have no place here");
    std::string text;
    for (++at_; peek() != quote; ++at_) {
      const auto c = static_cast<unsigned char>(peek());
      if (at_end() || c == '\n') return fail("this string has no closing quote");
      if (c == 0x7f || (c < ' ' && c != '\t'))
        return fail("control characters are written \\u0007");
      if (c == '\\' && quote == '"') {
        RS_TRY(escape(text));
      } else {
        text += peek();
      }
    }
    ++at_;
    return text;
  }

  /// At a backslash; ends on the last character of the escape.
  Result<void> escape(std::string& text) {
    constexpr std::string_view letters = "btnfr\"\\", meant = "\b\t\n\f\r\"\\";
    ++at_;
    if (const auto plain = letters.find(peek()); plain != std::string_view::npos && !at_end()) {
      text += meant[plain];
      return {};
    }
    const std::size_t digits = peek() == 'u' ? 4 : peek() == 'U' ? 8 : 0;
    const auto code_text = text_.substr(std::min(at_ + 1, text_.size()), digits);
    std::uint32_t code = 0;
    const auto* last = code_text.data() + code_text.size();
    const auto [end, error] = std::from_chars(code_text.data(), last, code, 16);
    if (digits == 0 || code_text.size() != digits || error != std::errc{} || end != last ||
        !append_utf8(code, text))
      return fail("this escape is none of TOML's: a backslash is written \\\\");
    at_ += digits;
    return {};
  }

  std::string_view text_, file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

Result<TomlValue> parse_toml(std::string_view text, std::string_view file) {
  if (text.size() > most_text)
    return bad_request(std::string(file) + ": more than 8 MiB is too large for a TOML file");
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  if (const auto wrong = first_not_utf8(text); wrong != text.size()) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(wrong), '\n');
    return bad_request(std::string(file) + ":" + std::to_string(line) + ": this is not UTF-8 text");
  }
  return Parser(text, file).parse();
}

}  // namespace ringside::sim
