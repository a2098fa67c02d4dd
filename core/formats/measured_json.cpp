// Measured rows as JSON: Ringside's own, nccl-tests' (-J), and published tables.

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/formats/json_reader.hpp"
#include "core/formats/nccl_tests.hpp"
#include "core/suggest.hpp"

namespace ringside::nccl_tests {
namespace {

using Json = nlohmann::json;
constexpr double longest_us = 1e12;
constexpr std::uint32_t most_ranks = 1u << 20;

/// The value, or what stands in where it is missing or of another kind.
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

/// A number, or a number in quotes, which is how nccl-tests writes some; NaN where there is none.
double number(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return NAN;
  if (found->is_number()) return found->get<double>();
  if (!found->is_string()) return NAN;
  const auto& text = found->get_ref<const std::string&>();
  double value = NAN;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : NAN;
}

std::uint32_t count(const Json& json, const char* key) {
  const double value = number(json, key);
  return value > 0 && value < most_ranks ? static_cast<std::uint32_t>(value) : 0;
}

/// Type, op and root of a row, from the row or else from the whole.
Result<void> read_words(Row& row, const Json& json, const Json& whole) {
  const auto both = [&](const char* key, std::string otherwise) {
    return value_or(json, key, value_or(whole, key, std::move(otherwise)));
  };
  const auto type = both("type", value_or<std::string>(whole, "dtype", ""));
  const auto redop = both("redop", "");
  if (!type.empty()) {
    RS_ASSIGN(row.type, parse_element_type(type));
  }
  if (!redop.empty() && redop != "none") {
    RS_ASSIGN(row.redop, parse_reduce_op(redop));
  }
  if (const double root = number(json, "root"); root >= 0 && root < most_ranks)
    row.root = Rank{static_cast<std::uint32_t>(root)};
  return {};
}

/// As a table says: `total_gpus`, or `8x` before the name of its hardware; 0: it does not.
std::uint32_t ranks_of(const Json& table) {
  if (const auto said = count(table, "total_gpus"); said > 0) return said;
  const auto hardware = value_or<std::string>(table, "hardware", "");
  std::uint32_t number = 0;
  const auto* const end = hardware.data() + hardware.size();
  const auto read = std::from_chars(hardware.data(), end, number);
  const bool is_times = read.ec == std::errc() && end - read.ptr > 1 && *read.ptr == 'x' &&
                        read.ptr[1] == ' ' && number < most_ranks;
  return is_times && count(table, "nodes") <= 1 ? number : 0;
}

/// `whole` gives what a row leaves out. Empty: a row of no bytes.
Result<std::optional<Row>> row_of(const Json& json, const Json& whole, const LogOptions& options) {
  if (!json.is_object()) return bad_request("it is no JSON object");
  Row row;
  const auto called = value_or(json, "collective", value_or<std::string>(whole, "collective", ""));
  if (called.empty() && !options.collective)
    return bad_request("it is not said which collective ran: say it with --collective");
  RS_ASSIGN(row.collective, options.collective ? Result<CollectiveKind>(*options.collective)
                                               : collective_of(called));
  row.algorithm = value_or<std::string>(json, "algorithm", "");
  row.protocol = value_or<std::string>(json, "protocol", "");
  row.backend = value_or<std::string>(json, "backend", "");
  row.ranks = options.ranks > 0          ? options.ranks
              : count(json, "ranks") > 0 ? count(json, "ranks")
                                         : ranks_of(whole);
  row.in_place = value_or(json, "in_place", false);
  if (const double wrong = number(json, "wrong"); wrong >= 0 && wrong < 0x1p62)
    row.wrong = static_cast<std::uint64_t>(wrong);
  RS_TRY(read_words(row, json, whole));
  const double bytes = number(json, "bytes"), us = number(json, "time_us");
  if (!(bytes >= 0 && bytes < 0x1p62)) return bad_request("it has no size in bytes");
  if (bytes == 0) return std::optional<Row>{};
  if (!(us > 0 && us < longest_us) || std::llround(us * 1e6) <= 0)
    return bad_request("it has no time in microseconds");
  row.size = Bytes{static_cast<std::uint64_t>(bytes)};
  row.time = Duration{std::llround(us * 1e6)};
  return std::optional(std::move(row));
}

/// `ag_ring` of `algorithms/ag_ring.xml,`, or of anything that ends so; empty of anything else.
std::string stem_of_xml(std::string_view text) {
  const auto end = text.find(".xml");
  if (end == text.npos) return "";
  const auto begin = text.find_last_of("/ \t\n(", end);
  return std::string(text.substr(begin == text.npos ? 0 : begin + 1, end - begin - 1));
}

/// The MSCCL algorithm that rows in place ran, where the table says that they did not leave it to
/// the library; empty: they did.
std::string given_in_place(const Json& json) {
  const auto remarks = value_or<std::string>(json, "notes", "");
  if (remarks.find("in_place rows") == remarks.npos || remarks.find("MSCCL") == remarks.npos)
    return "";
  auto name = stem_of_xml(value_or<std::string>(json, "xml", ""));
  if (name.empty()) name = stem_of_xml(remarks);
  return name.empty() ? "msccl" : name;
}

Result<MeasuredLog> from_rows(const Json& json, const Json& list, std::string_view name,
                              const LogOptions& options) {
  MeasuredLog log;
  std::size_t number_of_row = 0, empty = 0;
  const std::string given = given_in_place(json);
  for (const Json& one : list) {
    auto row = row_of(one, json, options);
    if (!row)
      return bad_request(std::string(name) + ": row " + std::to_string(number_of_row) + ": " +
                         row.error().message);
    ++number_of_row;
    if (*row && (*row)->in_place && !given.empty()) (*row)->algorithm = given;
    if (*row)
      log.rows.push_back(**std::move(row));
    else
      ++empty;
  }
  if (empty > 0) log.notes.push_back(counted(empty, "row") + " of no bytes left out");
  log.on = {.ranks = log.rows.empty() ? 0 : log.rows.front().ranks,
            .nodes = count(json, "nodes"),
            .hardware = value_or<std::string>(json, "hardware", ""),
            .interconnect = value_or<std::string>(json, "interconnect", ""),
            .version = value_or<std::string>(json, "nccl_version", ""),
            .date = value_or<std::string>(json, "date", ""),
            .remarks = value_or<std::string>(json, "notes", "")};
  return log;
}

/// One placement of nccl-tests' own JSON.
std::optional<Printed> placement(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object()) return std::nullopt;
  const double time = number(*found, found->contains("time") ? "time" : "cpu_time");
  if (!(time >= 0)) return std::nullopt;
  const auto rate = [&](const char* which) {
    const double value = number(*found, which);
    return value >= 0 ? value : 0;
  };
  Printed printed{time, rate("alg_bw"), rate("bus_bw")};
  if (const double wrong = number(*found, "nwrong"); wrong >= 0 && wrong < 0x1p62)
    printed.wrong = static_cast<std::uint64_t>(wrong);
  return printed;
}

Result<PrintedRow> printed_row(const Json& json) {
  if (!json.is_object()) return bad_request("it is no JSON object");
  const double bytes = number(json, "size"), elements = number(json, "count");
  if (!(bytes >= 0 && bytes < 0x1p62)) return bad_request("it has no size in bytes");
  PrintedRow row{.bytes = static_cast<std::uint64_t>(bytes)};
  if (elements >= 0 && elements < 0x1p62) row.count = static_cast<std::uint64_t>(elements);
  if (const auto type = parse_element_type(value_or<std::string>(json, "type", "")))
    row.type = *type;
  const auto redop = value_or<std::string>(json, "redop", "");
  if (const auto op = parse_reduce_op(redop)) row.redop = *op;
  row.names_no_redop = redop == "none";
  if (const double root = number(json, "root"); root >= -1 && root < most_ranks)
    row.root = static_cast<std::int64_t>(root);
  row.out_of_place = placement(json, "out_of_place");
  row.in_place = placement(json, "in_place");
  return row;
}

void read_devices(const Json& config, Test& test) {
  test.gpus_per_process = count(config, "ngpus") * std::max(count(config, "nthreads"), 1u);
  const auto devices = config.find("devices");
  if (devices == config.end() || !devices->is_array()) return;
  for (const Json& device : *devices) {
    if (!device.is_object()) continue;
    const auto host = value_or<std::string>(device, "hostname", "");
    test.ranks.insert(static_cast<std::uint32_t>(test.ranks.size()));
    test.hosts.insert(host);
    test.processes.insert(host + " " + std::to_string(value_or<std::int64_t>(device, "pid", 0)));
    test.devices.insert(value_or<std::string>(device, "device_info", ""));
  }
}

Result<MeasuredLog> from_nccl_tests(const Json& json, const Json& list, std::string_view name,
                                    const LogOptions& options) {
  Test test;
  if (const auto args = json.find("args"); args != json.end())
    test.collective = collective_in(args->dump(-1, ' ', false, Json::error_handler_t::replace));
  if (const auto config = json.find("config"); config != json.end() && config->is_object())
    read_devices(*config, test);
  for (const Json& one : list) {
    auto row = printed_row(one);
    if (!row)
      return bad_request(std::string(name) + ": row " + std::to_string(test.rows.size()) + ": " +
                         row.error().message);
    test.rows.push_back(*std::move(row));
  }
  MeasuredLog log;
  if (!test.rows.empty()) RS_TRY(conclude(test, name, options, log));
  return log;
}

/// Whether nccl-tests wrote it: its rows have a placement each side, ours are one placement.
bool is_of_nccl_tests(const Json& list) {
  return !list.empty() && list.front().is_object() &&
         (list.front().contains("out_of_place") || list.front().contains("size"));
}

}  // namespace

Result<MeasuredLog> read_json(std::string_view text, std::string_view name,
                              const LogOptions& options) {
  using Reader = JsonReader<Json>;
  RS_ASSIGN(const Json json,
            Reader::parse(text, name, {.kind = "result", .text = 64_MiB, .depth = 16}));
  if (!json.is_object()) return bad_request(std::string(name) + " is JSON, but no object");
  const auto list = json.find(json.contains("results") ? "results" : "rows");
  if (list == json.end() || !list->is_array())
    return bad_request(std::string(name) +
                       " has no list of \"results\" or \"rows\": expected what run --json or "
                       "nccl-tests -J writes");
  RS_ASSIGN(auto log, is_of_nccl_tests(*list) ? from_nccl_tests(json, *list, name, options)
                                              : from_rows(json, *list, name, options));
  if (log.rows.empty()) return bad_request(std::string(name) + " holds no measured rows");
  return log;
}

}  // namespace ringside::nccl_tests
