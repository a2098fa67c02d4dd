#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace ringside {

/// Checks a document against a JSON Schema (draft 2020-12), as far as the schemas in docs/ go. A
/// keyword that it does not know is a failure of the test, not of the document.
class JsonSchema {
 public:
  using Json = nlohmann::json;

  explicit JsonSchema(const std::string& text) : root_(Json::parse(text)) {}

  /// Empty, or the first thing that is not as the schema wants it.
  std::string fault(const Json& document) const { return check(document, root_, ""); }

 private:
  std::string check(const Json& value, const Json& schema, const std::string& at) const {
    std::string fault;
    for (const auto& [keyword, wanted] : schema.items()) {
      fault = check(value, schema, keyword, at);
      if (!fault.empty()) return fault;
    }
    return fault;
  }

  std::string check(const Json& value, const Json& schema, const std::string& keyword,
                    const std::string& at) const {
    const Json& wanted = schema[keyword];
    const auto unless = [&](bool holds) { return holds ? "" : at + ": " + keyword; };
    if (keyword == "$schema" || keyword == "$defs" || keyword == "title" ||
        keyword == "description" || keyword == "additionalProperties")
      return "";  // read with `properties`
    if (keyword == "$ref")
      return check(value, root_.at(Json::json_pointer(wanted.get<std::string>().substr(1))), at);
    if (keyword == "type") return unless(is(value, wanted));
    if (keyword == "const") return unless(value == wanted);
    if (keyword == "enum") return unless(std::ranges::count(wanted, value) > 0);
    if (keyword == "minimum") return unless(!value.is_number() || value >= wanted);
    if (keyword == "maximum") return unless(!value.is_number() || value <= wanted);
    if (keyword == "minItems") return unless(!value.is_array() || value.size() >= wanted);
    if (keyword == "maxItems") return unless(!value.is_array() || value.size() <= wanted);
    if (keyword == "required")
      return unless(std::ranges::all_of(
          wanted, [&](const Json& name) { return value.contains(name.get<std::string>()); }));
    if (keyword == "properties") return properties(value, schema, at);
    if (keyword == "items" || keyword == "prefixItems") return items(value, schema, keyword, at);
    throw std::logic_error("this validator does not know the keyword " + keyword);
  }

  static bool is(const Json& value, const std::string& type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "integer" ? value.is_number_integer()
           : type == "boolean" ? value.is_boolean()
                               : throw std::logic_error("this validator knows no type " + type);
  }

  std::string properties(const Json& value, const Json& schema, const std::string& at) const {
    if (!value.is_object()) return "";
    std::string fault;
    for (const auto& [name, member] : value.items()) {
      const auto known = schema["properties"].find(name);
      if (known != schema["properties"].end())
        fault = check(member, *known, at + "/" + name);
      else if (schema.value("additionalProperties", true) == false)
        fault = at + "/" + name + ": additionalProperties";
      if (!fault.empty()) return fault;
    }
    return fault;
  }

  std::string items(const Json& value, const Json& schema, const std::string& keyword,
                    const std::string& at) const {
    if (!value.is_array()) return "";
    std::string fault;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (keyword == "prefixItems" && i >= schema[keyword].size()) break;
      const Json& wanted = keyword == "items" ? schema[keyword] : schema[keyword][i];
      fault = check(value[i], wanted, at + "/" + std::to_string(i));
      if (!fault.empty()) return fault;
    }
    return fault;
  }

  Json root_;
};

}  // namespace ringside
