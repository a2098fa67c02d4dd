#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.hpp"

namespace ringside::sim {

struct TomlEntry;

/// What was written, and on which line. Dates are `monostate`: no file of ours has them.
struct TomlValue {
  using Array = std::vector<TomlValue>;
  using Table = std::vector<TomlEntry>;  ///< as written; keys differ
  std::uint32_t line = 0;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table> value;
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

/// One table of a TOML file, read strictly. Every error is one sentence that starts `file:line: `.
class TomlTable {
 public:
  /// `table` must hold a Table and, as `file`, outlive this.
  TomlTable(const TomlValue& table, std::string_view file) : table_(&table), file_(file) {}

  /// The error for something wrong at `where`.
  tl::unexpected<Error> fail(const TomlValue& where, std::string_view sentence) const;
  /// The error for something wrong with the whole table.
  tl::unexpected<Error> fail(std::string_view sentence) const { return fail(*table_, sentence); }
  /// The error for something wrong with the value of `key`, or with the table if it has no such.
  tl::unexpected<Error> fail(std::string_view key, std::string_view sentence) const;

  /// Refuses any other key, with a suggestion.
  Result<void> only(std::initializer_list<std::string_view> keys) const;
  const TomlValue* find(std::string_view key) const;  ///< nullptr if absent
  const TomlValue::Table& entries() const;

  /// `such_as` shows how to say it right.
  Result<std::optional<std::string>> text(std::string_view key, std::string_view such_as) const;
  Result<std::string> needed(std::string_view key, std::string_view such_as) const;
  Result<bool> truth(std::string_view key, bool otherwise) const;
  struct Range {
    std::uint32_t least, most;
  };
  Result<std::uint32_t> whole(std::string_view key, std::uint32_t otherwise, Range range) const;
  Result<std::vector<std::string>> texts(std::string_view key) const;
  /// Of `[[key]]`; empty if absent.
  Result<std::vector<TomlTable>> tables(std::string_view key) const;
  /// `value` as a table: `how` to write it is the rest of the sentence.
  Result<TomlTable> table(const TomlValue& value, std::string_view how) const;

 private:
  const TomlValue* table_;
  std::string_view file_;
};

/// Parses a whole file of TOML 1.0; the root is a Table. Safe on hostile text: at most 2 MiB,
/// values nested 32 deep, 512 dots a line.
Result<TomlValue> parse_toml(std::string_view text, std::string_view file);

/// Text in quotes, with whatever TOML needs escaped.
std::string toml_quoted(std::string_view text);

}  // namespace ringside::sim
