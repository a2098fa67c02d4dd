#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/suggest.hpp"
#include "lessons/course/question.hpp"
#include "sim/strict_toml.hpp"

// What the readers of lesson.toml have in common.

namespace ringside::lessons {

using sim::TomlTable;
using sim::TomlValue;

/// An expression: text, or a bare number, or true or false.
Result<Expression> expression_of(const TomlTable& table, const TomlValue& value);
/// Of `key`; one without text where it is absent.
Result<Expression> expression(const TomlTable& table, std::string_view key);
Result<Expression> needed_expression(const TomlTable& table, std::string_view key);
/// One expression, or a list of them.
Result<std::vector<Expression>> expressions(const TomlTable& table, std::string_view key);
/// A number that is not negative; `otherwise` where it is absent.
Result<double> number(const TomlTable& table, std::string_view key, double otherwise);
/// Text, or empty.
Result<std::string> text_or_none(const TomlTable& table, std::string_view key);
/// Elements of a list; one value stands for a list of one. Empty if absent. Error: more than
/// `most`.
Result<std::vector<const TomlValue*>> elements(const TomlTable& table, std::string_view key,
                                               std::size_t most);
/// `[vars]` and `[let]`, both of `table`.
Result<Numbers> numbers(const TomlTable& table);

/// One of `names` as the enumerator of that place.
template <typename Enum>
Result<Enum> choice_of(const TomlTable& table, std::string_view key,
                       std::span<const std::string_view> names) {
  RS_ASSIGN(const std::string text, table.needed(key, names.front()));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  return table.fail(key, unknown(key, text, names));
}

/// `[beat.ask]`.
Result<Question> read_question(const TomlTable& table, const std::string& folder);

}  // namespace ringside::lessons
