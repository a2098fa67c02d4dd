#include "core/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/formats/row_json.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  const int length = std::snprintf(nullptr, 0, pattern, values...);
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), pattern, values...);
  text.pop_back();
  return text;
}

/// Null where nothing matters.
Json json_of(const Options& options) {
  Json json;
  if (options.chunks) json["chunks"] = options.chunks;
  if (options.channels) json["channels"] = options.channels;
  if (options.ranks_per_node) json["ranks_per_node"] = options.ranks_per_node;
  if (!options.dims.empty()) json["dims"] = options.dims;
  if (options.agents) json["agents"] = options.agents;
  std::string rings;  // as --rank-order takes it
  for (const auto& ring : options.rank_order) {
    if (!rings.empty()) rings += ';';
    for (std::size_t p = 0; p < ring.size(); ++p)
      rings += (p ? "," : "") + std::to_string(ring[p].value);
  }
  if (!rings.empty()) json["rank_order"] = rings;
  return json;
}

void add(Json& json, const Statistics& statistics) {
  json["iterations"] = statistics.iterations;
  json["min_us"] = statistics.min.microseconds();
  json["max_us"] = statistics.max.microseconds();
  json["mean_us"] = statistics.mean.microseconds();
  json["p99_us"] = statistics.p99.microseconds();
  json["cv"] = statistics.cv;
}

Json json_of(const Row& row) {
  Json json = asked_json<Json>(row, json_of(row.options));
  if (!row.host.empty()) json["host"] = row.host;
  if (row.time) json["time_us"] = row.time->microseconds();
  if (const auto algbw = row.algbw()) json["algbw_GBps"] = *algbw;
  if (const auto busbw = row.busbw()) json["busbw_GBps"] = *busbw;
  if (row.statistics) add(json, *row.statistics);
  if (row.predicted) json["predicted_us"] = row.predicted->microseconds();
  if (const auto error = row.error()) json["error"] = *error;
  if (!row.busiest_link.empty()) json["busiest_link"] = row.busiest_link;
  if (row.busiest_link_ties > 0) json["busiest_link_ties"] = row.busiest_link_ties;
  if (row.busiest_link_share) json["busiest_link_share"] = *row.busiest_link_share;
  if (row.fastest) json["fastest"] = true;
  if (row.wrong) json["wrong"] = *row.wrong;
  if (row.pass) json["pass"] = *row.pass;
  if (!row.violation.empty()) json["violation"] = row.violation;
  for (const auto& share : row.time_shares)
    json["time_shares"].push_back({{"kind", share.kind}, {"time_us", share.time.microseconds()}});
  if (!row.critical_path.empty()) json["critical_path"] = row.critical_path;
  return json;
}

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

constexpr const char* csv_fields[] = {
    "collective", "algorithm", "protocol", "backend", "ranks", "bytes", "count", "type", "redop",
    "root", "in_place", "time_us", "algbw_GBps", "busbw_GBps", "busiest_link", "busiest_link_share",
    "wrong", "pass", "violation",
    // beyond the common ones
    "busiest_link_ties", "fastest", "options", "system", "nodes", "net", "conditions",
    // measured
    "iterations", "min_us", "max_us", "mean_us", "p99_us", "cv", "predicted_us", "error", "host"};

}  // namespace

std::optional<double> Row::algbw() const {
  if (!size || !time || time->picoseconds <= 0) return std::nullopt;
  return static_cast<double>(size->count) / time->seconds() * 1e-9;
}

std::optional<double> Row::busbw() const {
  const auto rate = algbw();
  return rate ? std::optional(*rate * busbw_factor(collective, ranks)) : std::nullopt;
}

std::optional<double> Row::error() const {
  if (!predicted || !time || time->picoseconds <= 0) return std::nullopt;
  return predicted->seconds() / time->seconds() - 1;
}

std::string to_json(const Report& report) {
  Json json;
  json["ringside"] = 1;
  json["command"] = report.command;
  json["results"] = Json::array();
  for (const Row& row : report.rows) json["results"].push_back(json_of(row));
  if (!report.assumed.empty()) json["assumed"] = report.assumed;
  if (!report.notes.empty()) json["notes"] = report.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(const Report& report) {
  std::string text;
  for (const char* field : csv_fields) text += (text.empty() ? "" : ",") + std::string(field);
  text += "\n";
  for (const Row& row : report.rows) {
    Json json = json_of(row);
    if (json.contains("options")) json["options"] = to_string(row.options);
    if (json.contains("conditions")) json["conditions"] = to_string(row.conditions);
    std::string line;
    for (const char* field : csv_fields) {
      if (field != csv_fields[0]) line += ",";
      if (!json.contains(field)) continue;
      const Json& value = json[field];
      line += value.is_string() ? quoted(value.get<std::string>()) : value.dump();
    }
    text += line + "\n";
  }
  return text;
}

std::string busiest_to_string(const Row& row) {
  if (row.busiest_link_ties == 0) return row.busiest_link;
  return row.busiest_link + " (+" + std::to_string(row.busiest_link_ties) + " alike)";
}

std::string narrowed(double value, int width) {
  for (int decimals = 2; decimals >= 0; --decimals)
    if (auto text = format("%.*f", decimals, value); static_cast<int>(text.size()) <= width)
      return text;
  const auto text = format("%.1e", value);
  return static_cast<int>(text.size()) <= width ? text : format("%.0e", value);
}

std::string table_header() {
  return "#       size         count      type   redop    root     time   algbw   busbw"
         "  algorithm            busiest link\n"
         "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)"
         "                       (share of the run it carries bytes)\n";
}

std::string table_row(const Row& row) {
  const auto number = [](std::optional<double> value, int width) {
    return value ? narrowed(*value, width) : std::string("N/A");
  };
  const std::string redop(row.redop ? name(*row.redop) : "none");
  const std::string type(row.type ? name(*row.type) : "");
  auto line = format("%12llu  %12llu  %8s  %6s  %6lld  ",
                     static_cast<unsigned long long>(row.size.value_or(Bytes{}).count),
                     static_cast<unsigned long long>(row.count.value_or(0)), type.c_str(),
                     redop.c_str(), row.root ? static_cast<long long>(row.root->value) : -1LL);
  const auto time = row.time ? std::optional(row.time->microseconds()) : std::nullopt;
  line += format("%7s  %6s  %6s", number(time, 7).c_str(), number(row.algbw(), 6).c_str(),
                 number(row.busbw(), 6).c_str());
  const bool has_protocol = !row.protocol.empty() && row.protocol != "none";
  const std::string how = row.algorithm + (has_protocol ? " " + row.protocol : "");
  line += format("%s%-19s", row.fastest ? " *" : "  ", how.c_str());
  if (!row.busiest_link.empty() && row.busiest_link_share)
    line += format("  %s %.0f %%", busiest_to_string(row).c_str(), *row.busiest_link_share * 100);
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string to_table(const Report& report) {
  std::string text = table_header();
  for (const Row& row : report.rows) text += table_row(row);
  for (const auto& sentence : report.assumed) text += "# assumed: " + sentence + "\n";
  for (const auto& sentence : report.notes) text += "# " + sentence + "\n";
  return text;
}

std::string to_string(const std::vector<Condition>& conditions) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  for (const Condition& condition : conditions) {
    if (condition.values.empty()) add("--" + condition.name);
    for (const auto& value : condition.values) add("--" + condition.name + " " + shell_word(value));
  }
  return text;
}

std::string to_string(const Options& options) {
  std::string text;
  const auto add = [&](const char* key, std::uint32_t value) {
    if (value) text += std::string(text.empty() ? "" : " ") + key + "=" + std::to_string(value);
  };
  add("chunks", options.chunks);
  add("channels", options.channels > 1 ? options.channels : 0);
  add("ranks_per_node", options.ranks_per_node);
  add("agents", options.agents);
  if (!options.dims.empty()) text += text.empty() ? "dims=" : " dims=";
  for (std::size_t i = 0; i < options.dims.size(); ++i)
    text += (i ? "x" : "") + std::to_string(options.dims[i]);
  if (!options.rank_order.empty()) text += " rings=" + std::to_string(options.rank_order.size());
  return text;
}

}  // namespace ringside
