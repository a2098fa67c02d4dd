#include "viz/stage/executors.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ringside::stage {

Result<std::vector<Executor>> read_executors(std::string_view json) {
  const auto listing = nlohmann::json::parse(json, nullptr, false);
  const auto is_one = [](const nlohmann::json& entry) {
    return entry.is_object() && entry.contains("name");
  };
  const bool is_listing = listing.is_object() && listing.value("listed", "") == "backends" &&
                          listing.contains("results") && listing["results"].is_array() &&
                          std::ranges::all_of(listing["results"], is_one);
  if (!is_listing)
    return bad_request("this is no listing of backends: ringside list backends --json makes one");
  std::vector<Executor> all;
  for (const auto& entry : listing["results"])
    all.push_back({entry.value("name", ""), entry.value("built", true), entry.value("lacks", "")});
  return all;
}

}  // namespace ringside::stage
