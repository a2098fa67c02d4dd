#include "lessons/course/toml_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ringside::lessons {
namespace {

constexpr std::size_t most_expression = 400, most_names = 200, most_values = 64;

/// As it stands in an expression.
std::optional<std::string> literal(const TomlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value.value)) return std::to_string(*whole);
  if (const auto* flag = std::get_if<bool>(&value.value)) return *flag ? "true" : "false";
  const auto* real = std::get_if<double>(&value.value);
  if (real != nullptr && std::isfinite(*real)) return fmt::format("{}", *real);
  return std::nullopt;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= 40 && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

Result<void> check_name(const TomlTable& table, const TomlValue& value, std::string_view name,
                        std::set<std::string>& taken) {
  if (!is_name(name))
    return table.fail(value, in_quotes(name) + " is no name: letters, digits and _, such as share");
  if (name == "answer")
    return table.fail(value, "`answer` is the question's own; take another name");
  if (!taken.insert(std::string(name)).second)
    return table.fail(value, in_quotes(name) + " is named twice");
  if (taken.size() > most_names)
    return table.fail(value, fmt::format("more than {} names are too many", most_names));
  return {};
}

Result<Quantity> quantity(const TomlTable& table, const TomlValue& value) {
  const auto text = literal(value);
  if (!text || std::holds_alternative<bool>(value.value))
    return table.fail(value, "a value is a number, or text such as \"100MB\", \"5us\", \"25GB/s\"");
  const auto read = parse_quantity(*text);
  if (!read) return table.fail(value, read.error().message);
  return *read;
}

Result<TomlTable> table_of(const TomlTable& table, std::string_view key, std::string_view how) {
  return table.table(*table.find(key), how);
}

}  // namespace

Result<Expression> expression_of(const TomlTable& table, const TomlValue& value) {
  auto text = literal(value);
  if (!text) return table.fail(value, "an expression is text, such as \"2 * (n - 1) / n * S\"");
  if (text->size() > most_expression)
    return table.fail(value, fmt::format("an expression has {} letters at most", most_expression));
  return Expression{*std::move(text), value.line};
}

Result<Expression> expression(const TomlTable& table, std::string_view key) {
  const auto* value = table.find(key);
  if (value == nullptr) return Expression{};
  return expression_of(table, *value);
}

Result<Expression> needed_expression(const TomlTable& table, std::string_view key) {
  if (table.find(key) == nullptr)
    return table.fail(fmt::format("{0} is missing: write {0} = \"2 * (n - 1)\"", key));
  return expression(table, key);
}

Result<std::vector<const TomlValue*>> elements(const TomlTable& table, std::string_view key,
                                               std::size_t most) {
  std::vector<const TomlValue*> found;
  const auto* value = table.find(key);
  if (value == nullptr) return found;
  if (const auto* list = std::get_if<TomlValue::Array>(&value->value))
    for (const TomlValue& element : *list) found.push_back(&element);
  else
    found.push_back(value);
  if (found.size() > most)
    return table.fail(*value, fmt::format("{} takes {} at most", key, counted(most, "value")));
  return found;
}

Result<std::vector<Expression>> expressions(const TomlTable& table, std::string_view key) {
  RS_ASSIGN(const auto values, elements(table, key, most_values));
  std::vector<Expression> found;
  for (const TomlValue* value : values) {
    RS_ASSIGN(found.emplace_back(), expression_of(table, *value));
  }
  return found;
}

Result<double> number(const TomlTable& table, std::string_view key, double otherwise) {
  const auto* value = table.find(key);
  if (value == nullptr) return otherwise;
  const auto* whole = std::get_if<std::int64_t>(&value->value);
  const auto* real = std::get_if<double>(&value->value);
  const double read = whole != nullptr ? static_cast<double>(*whole) : real != nullptr ? *real : -1;
  if (!(read >= 0 && read < 1e15))
    return table.fail(*value, std::string(key) + " is a number, 0 or more");
  return read;
}

Result<std::string> text_or_none(const TomlTable& table, std::string_view key) {
  RS_ASSIGN(const auto text, table.text(key, "..."));
  return text.value_or("");
}

Result<Numbers> numbers(const TomlTable& table) {
  Numbers found;
  std::set<std::string> taken;
  if (table.find("vars") != nullptr) {
    RS_ASSIGN(const TomlTable vars, table_of(table, "vars", "[vars] lists names: n = [4, 8]"));
    for (const auto& [name, value] : vars.entries()) {
      RS_TRY(check_name(vars, value, name, taken));
      RS_ASSIGN(const auto values, elements(vars, name, most_values));
      if (values.empty())
        return vars.fail(value, fmt::format("{0} has no value: write {0} = [4]", name));
      Variable variable{.name = name};
      for (const TomlValue* one : values) {
        RS_ASSIGN(variable.values.emplace_back(), quantity(vars, *one));
      }
      found.vars.push_back(std::move(variable));
    }
  }
  if (table.find("let") != nullptr) {
    RS_ASSIGN(const TomlTable lets, table_of(table, "let", "[let] lists names: share = \"S / n\""));
    for (const auto& [name, value] : lets.entries()) {
      RS_TRY(check_name(lets, value, name, taken));
      RS_ASSIGN(Expression made, expression_of(lets, value));
      found.lets.push_back({name, std::move(made)});
    }
  }
  return found;
}

}  // namespace ringside::lessons
