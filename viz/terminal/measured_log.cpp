#include "viz/terminal/measured_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/suggest.hpp"

namespace ringside::terminal {
namespace {

using Json = nlohmann::json;
constexpr double longest_us = 1e12;

Result<CollectiveKind> collective_of(std::string text) {
  if (const auto end = text.find("_perf"); end != std::string::npos) text.resize(end);
  if (text == "alltoall") text = "all_to_all";  // as nccl-tests spells it
  if (text == "sendrecv") text = "send_recv";
  return parse_collective(text);
}

/// Fields of one row, whichever the format.
struct Fields {
  std::string type, redop;
  std::int64_t root = -1;
  double bytes = -1, time_us = -1;
};

Result<void> fill(Row& row, const Fields& fields, const std::string& where) {
  if (!(fields.bytes >= 0 && fields.bytes < 0x1p62))
    return bad_request(where + " has no size in bytes");
  if (!(fields.time_us > 0 && fields.time_us < longest_us))
    return bad_request(where + " has no time in microseconds");
  row.size = Bytes{static_cast<std::uint64_t>(fields.bytes)};
  row.time = Duration{std::llround(fields.time_us * 1e6)};
  if (!fields.type.empty()) {
    RS_ASSIGN(row.type, parse_element_type(fields.type));
  }
  if (!fields.redop.empty() && fields.redop != "none") {
    RS_ASSIGN(row.redop, parse_reduce_op(fields.redop));
  }
  if (fields.root >= 0) row.root = Rank{static_cast<std::uint32_t>(fields.root)};
  return {};
}

template <typename Value>
Value value_or(const Json& json, const char* key, Value otherwise) {
  const auto found = json.find(key);
  if (found == json.end()) return otherwise;
  if constexpr (std::is_same_v<Value, std::string>)
    return found->is_string() ? found->template get<std::string>() : otherwise;
  else if constexpr (std::is_same_v<Value, bool>)
    return found->is_boolean() ? found->template get<bool>() : otherwise;
  else
    return found->is_number() ? found->template get<Value>() : otherwise;
}

/// `whole` gives what a row leaves out.
Result<Row> row_of(const Json& json, const Json& whole, const std::string& where) {
  if (!json.is_object()) return bad_request(where + " is no JSON object");
  const auto both = [&](const char* key, std::string otherwise) {
    return value_or(json, key, value_or(whole, key, std::move(otherwise)));
  };
  Row row;
  RS_ASSIGN(row.collective, collective_of(both("collective", "")));
  row.algorithm = value_or<std::string>(json, "algorithm", "");
  row.backend = value_or<std::string>(json, "backend", "");
  const double ranks = value_or(json, "ranks", value_or(whole, "total_gpus", 0.0));
  row.ranks = ranks > 0 && ranks < 1e6 ? static_cast<std::uint32_t>(ranks) : 0;
  row.in_place = value_or(json, "in_place", false);
  Fields fields{.type = both("type", value_or<std::string>(whole, "dtype", "")),
                .redop = both("redop", ""),
                .root = value_or<std::int64_t>(json, "root", -1),
                .bytes = value_or(json, "bytes", -1.0),
                .time_us = value_or(json, "time_us", -1.0)};
  RS_TRY(fill(row, fields, where));
  return row;
}

Result<std::vector<Row>> from_json(const Json& json, const std::string& name) {
  const char* const key = json.contains("results") ? "results" : "rows";
  const auto list = json.find(key);
  if (list == json.end() || !list->is_array())
    return bad_request(name +
                       " has no list of \"results\" or \"rows\": expected what run --json "
                       "writes");
  std::vector<Row> rows;
  for (const Json& one : *list) {
    RS_ASSIGN(Row row, row_of(one, json, fmt::format("{}: row {}", name, rows.size())));
    rows.push_back(std::move(row));
  }
  return rows;
}

double number(const std::string& text) {
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

/// One line: size count type redop root, then time algbw busbw wrong, twice.
Result<void> add_line(const std::string& line, CollectiveKind kind, const std::string& where,
                      std::vector<Row>& rows) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.size() < 13 || number(words[0]) < 0) return {};  // what else a job prints
  for (const bool in_place : {false, true}) {
    const auto& time = words[in_place ? 9 : 5];
    if (time == "N/A" || number(words[0]) == 0) continue;
    Row row{.collective = kind, .algorithm = words.size() > 13 ? words[13] : "", .ranks = 0};
    row.in_place = in_place;
    RS_TRY(fill(row,
                {.type = words[2],
                 .redop = words[3],
                 .root = static_cast<std::int64_t>(number(words[4])),
                 .bytes = number(words[0]),
                 .time_us = number(time)},
                where));
    rows.push_back(std::move(row));
  }
  return {};
}

Result<std::vector<Row>> from_table(std::string_view text, const std::string& name) {
  std::vector<Row> rows;
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::uint32_t ranks = 0;
  std::istringstream stream{std::string(text)};
  std::size_t number_of_line = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number_of_line;
    constexpr std::string_view starting = "Collective test starting: ", own = "# nRanks ",
                               rank = "#  Rank ";
    if (const auto at = line.find(starting); at != std::string::npos) {
      RS_ASSIGN(kind, collective_of(line.substr(at + starting.size())));
    } else if (line.starts_with(own)) {
      ranks = static_cast<std::uint32_t>(std::strtoul(line.c_str() + own.size(), nullptr, 10));
    } else if (line.starts_with(rank)) {
      ++ranks;
    } else if (!line.starts_with('#')) {
      RS_TRY(add_line(line, kind, fmt::format("{}: line {}", name, number_of_line), rows));
    }
  }
  for (Row& row : rows) row.ranks = ranks;
  return rows;
}

}  // namespace

Result<std::vector<Row>> read_measured(std::string_view text, const std::string& name) {
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  const Json json = is_json ? Json::parse(text, nullptr, false) : Json();
  if (json.is_discarded()) return bad_request(name + " begins like JSON, but is none");
  RS_ASSIGN(auto rows, is_json ? from_json(json, name) : from_table(text, name));
  if (rows.empty())
    return bad_request(name +
                       " holds no measured rows: expected what run --json writes, or a "
                       "table of nccl-tests");
  return rows;
}

}  // namespace ringside::terminal
