#include "sim/strict_toml.hpp"

#include <algorithm>
#include <cstdio>

#include "core/suggest.hpp"

namespace ringside::sim {

tl::unexpected<Error> TomlTable::fail(const TomlValue& where, std::string_view sentence) const {
  return bad_request(std::string(file_) + ":" + std::to_string(where.line) + ": " +
                     std::string(sentence));
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
