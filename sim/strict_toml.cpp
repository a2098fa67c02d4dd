#include "sim/strict_toml.hpp"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cstdio>

#include "core/suggest.hpp"

namespace ringside::sim {
namespace {

constexpr std::size_t most_text = 8u << 20;
constexpr std::size_t most_nesting = 32, most_dots = 8;

tl::unexpected<Error> error_at(std::string_view file, std::uint32_t line,
                               std::string_view sentence) {
  return bad_request(std::string(file) + ":" + std::to_string(line) + ": " + std::string(sentence));
}

/// Parsing recurses into what is nested, so text nested too deep is refused before it is parsed:
/// brackets in brackets, and dots in one key. Strings that span lines could hide either, and no
/// file of ours needs them.
Result<void> refuse_deep_nesting(std::string_view text, std::string_view file) {
  std::uint32_t line = 1;
  std::size_t depth = 0, dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto three = text.substr(i, 3);
    if (three == "\"\"\"" || three == "'''")
      return error_at(file, line, "strings of several lines have no place here");
    if (c == '"' || c == '\'') {
      for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i)
        if (c == '"' && text[i] == '\\') ++i;
      if (i < text.size() && text[i] == '\n') --i;
      continue;
    }
    if (c == '#') i = std::min(text.find('\n', i), text.size() - 1);
    if (text[i] == '\n') ++line, dots = 0;
    if (c == '[' || c == '{') ++depth, dots = 0;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == '=' || c == ',') dots = 0;
    if (c == '.') ++dots;
    if (depth > most_nesting || dots > most_dots)
      return error_at(file, line, "this is nested too deep");
  }
  return {};
}

TomlValue convert(const toml::node& node);

TomlValue::Table convert_table(const toml::table& table) {
  TomlValue::Table entries;
  for (const auto& [key, value] : table)
    entries.push_back({std::string(key.str()), convert(value)});
  return entries;
}

TomlValue convert(const toml::node& node) {
  TomlValue value{.line = static_cast<std::uint32_t>(node.source().begin.line), .value = {}};
  if (const auto* flag = node.as_boolean()) value.value = flag->get();
  if (const auto* number = node.as_integer()) value.value = number->get();
  if (const auto* text = node.as_string()) value.value = text->get();
  if (const auto* table = node.as_table()) value.value = convert_table(*table);
  if (const auto* array = node.as_array()) {
    TomlValue::Array elements;
    for (const auto& element : *array) elements.push_back(convert(element));
    value.value = std::move(elements);
  }
  return value;
}

}  // namespace

tl::unexpected<Error> TomlTable::fail(const TomlValue& where, std::string_view sentence) const {
  return error_at(file_, where.line, sentence);
}

tl::unexpected<Error> TomlTable::fail(std::string_view key, std::string_view sentence) const {
  const auto* value = find(key);
  return fail(value != nullptr ? *value : *table_, sentence);
}

const TomlValue::Table& TomlTable::entries() const {
  return std::get<TomlValue::Table>(table_->value);
}

Result<void> TomlTable::only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : entries())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      return fail(value, unknown("key", key, {keys.begin(), keys.size()}));
  return {};
}

const TomlValue* TomlTable::find(std::string_view key) const {
  for (const auto& entry : entries())
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Result<std::optional<std::string>> TomlTable::text(std::string_view key,
                                                   std::string_view such_as) const {
  const auto* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->value);
  if (text == nullptr)
    return fail(*value, std::string(key) + " is a string, such as " + std::string(key) + " = " +
                            toml_quoted(such_as));
  return *text;
}

Result<std::string> TomlTable::needed(std::string_view key, std::string_view such_as) const {
  RS_ASSIGN(auto value, text(key, such_as));
  if (!value)
    return fail(*table_, std::string(key) + " is missing: write " + std::string(key) + " = " +
                             toml_quoted(such_as));
  return *std::move(value);
}

Result<bool> TomlTable::truth(std::string_view key, bool otherwise) const {
  const auto* value = find(key);
  if (value == nullptr) return otherwise;
  const auto* flag = std::get_if<bool>(&value->value);
  if (flag == nullptr) return fail(*value, std::string(key) + " is true or false");
  return *flag;
}

Result<std::uint32_t> TomlTable::whole(std::string_view key, std::uint32_t otherwise,
                                       Range range) const {
  const auto* value = find(key);
  if (value == nullptr) return otherwise;
  const auto* number = std::get_if<std::int64_t>(&value->value);
  if (number == nullptr || *number < range.least || *number > range.most)
    return fail(*value, std::string(key) + " is a whole number from " +
                            std::to_string(range.least) + " to " + std::to_string(range.most));
  return static_cast<std::uint32_t>(*number);
}

Result<std::vector<std::string>> TomlTable::texts(std::string_view key) const {
  std::vector<std::string> found;
  const auto* value = find(key);
  if (value == nullptr) return found;
  const auto wrong = std::string(key) + " is a list of strings";
  const auto* list = std::get_if<TomlValue::Array>(&value->value);
  if (list == nullptr) return fail(*value, wrong);
  for (const auto& element : *list) {
    const auto* text = std::get_if<std::string>(&element.value);
    if (text == nullptr) return fail(element, wrong);
    found.push_back(*text);
  }
  return found;
}

Result<std::vector<TomlTable>> TomlTable::tables(std::string_view key) const {
  std::vector<TomlTable> found;
  const auto* value = find(key);
  if (value == nullptr) return found;
  const auto how = std::string(key) + " are tables: write [[" + std::string(key) + "]]";
  const auto* list = std::get_if<TomlValue::Array>(&value->value);
  if (list == nullptr) return fail(*value, how);
  for (const auto& element : *list) {
    RS_ASSIGN(const auto one, table(element, how));
    found.push_back(one);
  }
  return found;
}

Result<TomlTable> TomlTable::table(const TomlValue& value, std::string_view how) const {
  if (!std::holds_alternative<TomlValue::Table>(value.value)) return fail(value, how);
  return TomlTable(value, file_);
}

Result<TomlValue> parse_toml(std::string_view text, std::string_view file) {
  if (text.size() > most_text)
    return bad_request(std::string(file) + ": more than 8 MiB is too large for a TOML file");
  RS_TRY(refuse_deep_nesting(text, file));
  const auto parsed = toml::parse(text);
  if (!parsed)
    return error_at(file, static_cast<std::uint32_t>(parsed.error().source().begin.line),
                    "this is not TOML: " + std::string(parsed.error().description()));
  return convert(parsed.table());
}

std::string toml_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\', quoted += c;
    } else if (code < 0x20 || code == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04X", code);
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace ringside::sim
