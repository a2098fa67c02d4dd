#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/report.hpp"

// What result rows and recorded runs say alike in JSON. `Json` is the library's type, which headers
// do not name.

namespace ringside {

/// By the flags' names with `_` for `-`, as all fields are spelled.
template <typename Json>
Json conditions_json(const std::vector<Condition>& conditions) {
  Json json = Json::object();
  for (const Condition& condition : conditions) {
    std::string name = condition.name;
    std::ranges::replace(name, '-', '_');
    if (condition.repeats)
      json[name] = condition.values;
    else if (condition.values.empty())
      json[name] = true;
    else
      json[name] = condition.values.front();
  }
  return json;
}

/// What was run, on what: all of a row but its figures. `options` as the format spells them; null
/// where there are none.
template <typename Json>
Json asked_json(const Row& row, Json options) {
  Json json{{"collective", name(row.collective)}, {"algorithm", row.algorithm}};
  if (!options.is_null()) json["options"] = std::move(options);
  if (!row.protocol.empty()) json["protocol"] = row.protocol;
  if (!row.backend.empty()) json["backend"] = row.backend;
  if (!row.system.empty()) json["system"] = row.system;
  if (row.nodes > 0) json["nodes"] = row.nodes;
  if (!row.net.empty()) json["net"] = row.net;
  if (!row.conditions.empty()) json["conditions"] = conditions_json<Json>(row.conditions);
  json["ranks"] = row.ranks;
  if (!row.devices.empty()) json["devices"] = row.devices;
  if (row.size) json["bytes"] = row.size->count;
  if (row.count) json["count"] = *row.count;
  if (row.type) json["type"] = name(*row.type);
  if (row.redop) json["redop"] = name(*row.redop);
  if (row.root) json["root"] = row.root->value;
  json["in_place"] = row.in_place;
  return json;
}

}  // namespace ringside
