#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "core/suggest.hpp"
#include "core/units.hpp"

namespace ringside {

/// Where in a JSON text we are; spelled out only when something is wrong there.
struct JsonPath {
  const JsonPath* parent = nullptr;
  std::string_view key = {};
  std::size_t index = 0;

  std::string text() const {  ///< `/steps/3/0/from`
    if (!parent) return "";
    return parent->text() + "/" + (key.empty() ? std::to_string(index) : std::string(key));
  }
};

/// True if arrays and objects lie in each other more than `most` deep. JSON libraries copy and
/// print by recursion: what nests a million deep must never reach them.
bool nests_deeper_than(std::size_t most, std::string_view text);

/// What the strict readers of our JSON files have in common. Every error is one sentence: `file:
/// /path/in/it: expected ..., found ...`. `Json` is the library's type, which headers do not name.
template <typename Json>
class JsonReader {
 public:
  struct Limits {
    std::string_view kind;  ///< what the file should be: `schedule`
    Bytes text;
    std::size_t depth;
  };
  /// The text as JSON, or one sentence on what is wrong with it as a whole.
  static Result<Json> parse(std::string_view text, std::string_view name, const Limits& limits) {
    const std::string called(name), kind(limits.kind);
    if (text.size() > limits.text.count)
      return bad_request(called + " is larger than " + to_string(limits.text) + "; no " + kind +
                         " that a file can hold is");
    if (nests_deeper_than(limits.depth, text))
      return bad_request(called + " is no " + kind + ": one nests " + std::to_string(limits.depth) +
                         " deep at most");
    try {
      return Json::parse(text);
    } catch (const typename Json::parse_error& error) {
      return bad_request(called + " is not JSON: at byte " + std::to_string(error.byte) +
                         " something else than JSON's next token stands");
    } catch (const typename Json::out_of_range&) {
      return bad_request(called + " is no " + kind + ": it holds a number too large for any count");
    }
  }

  explicit JsonReader(std::string_view name) : name_(name) {}

 protected:
  /// Allowed values of a number; `missing` (if not negative) stands in where it is left out.
  struct Range {
    std::uint64_t least, most;
    std::int64_t missing = -1;
  };

  tl::unexpected<Error> refuse(const JsonPath& at, const std::string& what) const {
    const auto path = at.text();
    return bad_request(name_ + ": " + (path.empty() ? "" : path + ": ") + what);
  }
  tl::unexpected<Error> refuse(const JsonPath& at, const std::string& wanted,
                               const Json& found) const {
    auto text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 37) + "...";
    return refuse(at, "expected " + wanted + ", found " + text);
  }
  tl::unexpected<Error> missing(const JsonPath& at, std::string_view key) const {
    return refuse(at, "the field \"" + std::string(key) + "\" is missing");
  }
  template <typename T>
  Result<T> prefixed(Result<T> result, const JsonPath& at) const {
    if (!result) return refuse(at, result.error().message);
    return result;
  }

  /// An object that has no other fields.
  Result<void> keys(const Json& json, const JsonPath& at,
                    std::initializer_list<std::string_view> known) const {
    if (!json.is_object()) return refuse(at, "an object", json);
    const std::vector<std::string_view> all(known);
    for (const auto& item : json.items())
      if (std::find(all.begin(), all.end(), item.key()) == all.end())
        return refuse(at, unknown("field", item.key(), all));
    return {};
  }

  template <typename Number = std::uint32_t>
  Result<Number> integer(const Json& json, const JsonPath& at, Range range) const {
    const auto wanted = range.least == range.most
                            ? std::to_string(range.least)
                            : "a whole number from " + std::to_string(range.least) + " to " +
                                  std::to_string(range.most);
    if (!json.is_number_unsigned()) return refuse(at, wanted, json);
    const auto value = json.template get<std::uint64_t>();
    if (value < range.least || value > range.most) return refuse(at, wanted, json);
    return static_cast<Number>(value);
  }
  template <typename Number = std::uint32_t>
  Result<Number> number(const Json& json, const JsonPath& at, std::string_view key,
                        Range range) const {
    const auto found = json.find(key);
    if (found != json.end()) return integer<Number>(*found, {&at, key}, range);
    if (range.missing < 0) return missing(at, key);
    return static_cast<Number>(range.missing);
  }
  Result<std::string> word(const Json& json, const JsonPath& at, std::string_view key) const {
    const auto found = json.find(key);
    if (found == json.end()) return missing(at, key);
    if (!found->is_string()) return refuse({&at, key}, "a word in quotes", *found);
    return found->template get<std::string>();
  }
  Result<bool> flag(const Json& json, const JsonPath& at, std::string_view key) const {
    const auto found = json.find(key);
    if (found == json.end()) return false;
    if (!found->is_boolean()) return refuse({&at, key}, "true or false", *found);
    return found->template get<bool>();
  }

 private:
  std::string name_;
};

}  // namespace ringside
