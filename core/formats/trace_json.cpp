#include "core/formats/trace_json.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/binding.hpp"
#include "core/formats/json_reader.hpp"
#include "core/formats/row_json.hpp"
#include "core/formats/schedule_json.hpp"
#include "core/message.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t version = 1;
constexpr Bytes max_text = 128_MiB;
constexpr std::size_t max_depth = 6;        // file, schedule, and what that nests
constexpr std::size_t max_word = 1u << 16;  // share strings list all that was changed of a machine
constexpr std::uint64_t max_time = static_cast<std::uint64_t>(forever.picoseconds) / 2;
constexpr std::uint64_t max_number = UINT32_MAX;
constexpr double max_moved = 0x1p62;  // bytes

// ---- writing

Json json_of(const Options& options) {
  Json json{{"chunks", options.chunks}, {"channels", options.channels}};
  if (options.ranks_per_node != 0) json["ranks_per_node"] = options.ranks_per_node;
  if (!options.dims.empty()) json["dims"] = options.dims;
  if (options.agents != 0) json["agents"] = options.agents;
  for (const auto& ring : options.rank_order) {
    Json ranks = Json::array();
    for (const Rank rank : ring) ranks.push_back(rank.value);
    json["rank_order"].push_back(std::move(ranks));
  }
  return json;
}

Json json_of(const Row& row) {
  Json json = asked_json<Json>(row, json_of(row.options));
  if (row.time) json["time_ps"] = row.time->picoseconds;
  if (!row.busiest_link.empty()) json["busiest_link"] = row.busiest_link;
  if (row.busiest_link_ties > 0) json["busiest_link_ties"] = row.busiest_link_ties;
  if (row.busiest_link_share) json["busiest_link_share"] = *row.busiest_link_share;
  if (row.wrong) json["wrong"] = *row.wrong;
  return json;
}

std::string to_text(const Span& span) {
  std::string text;
  for (const TimePoint at : {span.ready, span.begin, span.read, span.arrival, span.commit})
    text += (text.empty() ? "[" : ", ") + std::to_string(at.picoseconds);
  return text + "]";
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// ---- reading

class Reader : JsonReader<Json> {
 public:
  explicit Reader(std::string_view name) : JsonReader(name), name_(name) {}
  using JsonReader::parse;

  Result<RecordedRun> run(const Json& json) {
    const JsonPath root;
    RS_TRY(keys(json, root, {"ringside_trace", "measured", "share", "row", "spans", "schedule"}));
    RS_TRY(number(json, root, "ringside_trace", {version, version}));
    RecordedRun run;
    if (!json.contains("measured")) return missing(root, "measured");
    RS_ASSIGN(run.is_measured, flag(json, root, "measured"));
    RS_ASSIGN(run.share, label(json, root, "share", true));
    if (!json.contains("schedule")) return missing(root, "schedule");
    RS_ASSIGN(Schedule schedule,
              schedule_from_json(dumped(json["schedule"]), name_ + ": the schedule"));
    if (!json.contains("row")) return missing(root, "row");
    const JsonPath at_row{&root, "row"};
    RS_ASSIGN(run.row, row(json["row"], at_row, schedule.spec()));
    RS_TRY(fits(run.row, schedule, at_row));
    RS_ASSIGN(run.spans, spans(json, root, schedule.transfers().size()));
    run.schedule = std::make_shared<const Schedule>(std::move(schedule));
    return run;
  }

 private:
  /// A word that may be shown as it is.
  Result<std::string> label(const Json& json, const JsonPath& at, std::string_view key,
                            bool may_be_missing = false) const {
    if (may_be_missing && !json.contains(key)) return std::string();
    RS_ASSIGN(std::string text, word(json, at, key));
    const bool is_plain = std::ranges::none_of(
        text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
    if (text.size() > max_word || !is_plain)
      return refuse({&at, key},
                    "one line of at most " + std::to_string(max_word) + " bytes in quotes",
                    json[std::string(key)]);
    return text;
  }

  template <typename T>
  Result<T> named(const Json& json, const JsonPath& at, std::string_view key,
                  Result<T> (*reads)(std::string_view)) const {
    RS_ASSIGN(std::string text, word(json, at, key));
    return prefixed(reads(text), {&at, key});
  }

  /// All fields but the options; what the schedule says too must be the same.
  Result<Row> row(const Json& json, const JsonPath& at, const CollectiveSpec& spec) const {
    RS_TRY(keys(json, at,
                {"collective",
                 "algorithm",
                 "options",
                 "protocol",
                 "backend",
                 "system",
                 "nodes",
                 "net",
                 "conditions",
                 "ranks",
                 "devices",
                 "bytes",
                 "count",
                 "type",
                 "redop",
                 "root",
                 "in_place",
                 "time_ps",
                 "busiest_link",
                 "busiest_link_ties",
                 "busiest_link_share",
                 "wrong"}));
    Row row;
    RS_ASSIGN(row.collective, named(json, at, "collective", parse_collective));
    if (row.collective != spec.kind)
      return refuse({&at, "collective"}, in_quotes(name(spec.kind)) + ", as the schedule says",
                    json["collective"]);
    RS_ASSIGN(row.algorithm, label(json, at, "algorithm"));
    RS_ASSIGN(row.protocol, label(json, at, "protocol", true));
    RS_ASSIGN(row.backend, label(json, at, "backend", true));
    RS_ASSIGN(row.ranks, number(json, at, "ranks", {spec.ranks, spec.ranks}));
    RS_ASSIGN(row.type, named(json, at, "type", parse_element_type));
    if (json.contains("redop")) {
      RS_ASSIGN(row.redop, named(json, at, "redop", parse_reduce_op));
    }
    if (json.contains("root")) {
      RS_ASSIGN(const auto root, number(json, at, "root", {spec.root.value, spec.root.value}));
      row.root = Rank{root};
    }
    RS_ASSIGN(row.in_place, flag(json, at, "in_place"));
    if (row.in_place != spec.in_place)
      return refuse({&at, "in_place"},
                    "row and schedule must agree, and the schedule says otherwise");
    if (json.contains("options")) {
      RS_ASSIGN(row.options, options(json["options"], {&at, "options"}, spec.ranks));
    }
    RS_TRY(origin(json, at, row));
    RS_TRY(figures(json, at, row));
    return row;
  }

  /// What it ran on.
  Result<void> origin(const Json& json, const JsonPath& at, Row& row) const {
    RS_ASSIGN(row.system, label(json, at, "system", true));
    RS_ASSIGN(row.nodes, number(json, at, "nodes", {0, Transfer::max_ranks, 0}));
    RS_ASSIGN(row.net, label(json, at, "net", true));
    RS_ASSIGN(row.devices, numbers(json, at, "devices", {0, Transfer::max_ranks}));
    if (!row.devices.empty() && row.devices.size() != row.ranks)
      return refuse({&at, "devices"}, "one of each rank, or none", json["devices"]);
    const auto conditions = json.find("conditions");
    if (conditions == json.end()) return {};
    const JsonPath here{&at, "conditions"};
    if (!conditions->is_object()) return refuse(here, "an object", *conditions);
    for (const auto& item : conditions->items()) {
      RS_ASSIGN(auto condition, this->condition(item.key(), *conditions, here));
      row.conditions.push_back(std::move(condition));
    }
    return {};
  }

  Result<Condition> condition(const std::string& key, const Json& all, const JsonPath& at) const {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    if (key.empty() || key.find_first_not_of(letters) != std::string::npos)
      return refuse(at, "expected names of flags such as rank_order, found " + in_quotes(key));
    Condition condition{.name = key};
    std::ranges::replace(condition.name, '_', '-');
    const JsonPath here{&at, key};
    const Json& value = all[key];
    if (value.is_boolean() && value.get<bool>()) return condition;
    condition.repeats = value.is_array();
    const Json list = condition.repeats ? value : Json::array({value});
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].is_string()) return refuse(here, "true, a text or texts", value);
      RS_ASSIGN(auto text, label(Json{{"value", list[i]}}, here, "value"));
      condition.values.push_back(std::move(text));
    }
    return condition;
  }

  Result<void> figures(const Json& json, const JsonPath& at, Row& row) const {
    using Long = std::uint64_t;
    RS_ASSIGN(row.count, number<Long>(json, at, "count", {0, INT64_MAX}));
    RS_ASSIGN(const auto size, number<Long>(json, at, "bytes", {0, INT64_MAX}));
    row.size = Bytes{size};
    if (json.contains("time_ps")) {
      RS_ASSIGN(const auto time, number<std::int64_t>(json, at, "time_ps", {0, max_time}));
      row.time = Duration{time};
    }
    RS_ASSIGN(row.busiest_link, label(json, at, "busiest_link", true));
    RS_ASSIGN(row.busiest_link_ties, number(json, at, "busiest_link_ties", {0, max_number, 0}));
    if (const auto share = json.find("busiest_link_share"); share != json.end()) {
      const double value = share->is_number() ? share->get<double>() : -1;
      if (!(value >= 0 && value <= 2))
        return refuse({&at, "busiest_link_share"}, "a share of the run, about 0 to 1", *share);
      row.busiest_link_share = value;
    }
    if (json.contains("wrong")) {
      RS_ASSIGN(row.wrong, number<Long>(json, at, "wrong", {0, INT64_MAX}));
    }
    return {};
  }

  Result<Options> options(const Json& json, const JsonPath& at, std::uint32_t ranks) const {
    RS_TRY(
        keys(json, at, {"chunks", "channels", "ranks_per_node", "dims", "agents", "rank_order"}));
    Options options;
    RS_ASSIGN(options.chunks, number(json, at, "chunks", {0, max_number, 0}));
    RS_ASSIGN(options.channels, number(json, at, "channels", {0, Transfer::max_channels, 0}));
    RS_ASSIGN(options.ranks_per_node, number(json, at, "ranks_per_node", {0, ranks, 0}));
    RS_ASSIGN(options.agents, number(json, at, "agents", {0, Transfer::max_ranks, 0}));
    RS_ASSIGN(options.dims, numbers(json, at, "dims", {1, ranks}));
    const auto order = json.find("rank_order");
    if (order == json.end()) return options;
    const JsonPath at_order{&at, "rank_order"};
    if (!order->is_array()) return refuse(at_order, "an array of rings", *order);
    for (std::size_t c = 0; c < order->size(); ++c) {
      RS_ASSIGN(auto ring, permutation((*order)[c], {&at_order, {}, c}, ranks));
      options.rank_order.push_back(std::move(ring));
    }
    return options;
  }

  Result<std::vector<std::uint32_t>> numbers(const Json& json, const JsonPath& parent,
                                             std::string_view key, Range range) const {
    std::vector<std::uint32_t> all;
    const auto found = json.find(key);
    if (found == json.end()) return all;
    const JsonPath at{&parent, key};
    if (!found->is_array()) return refuse(at, "an array of whole numbers", *found);
    for (std::size_t i = 0; i < found->size(); ++i) {
      RS_ASSIGN(const auto value, integer((*found)[i], {&at, {}, i}, range));
      all.push_back(value);
    }
    return all;
  }

  Result<std::vector<Rank>> permutation(const Json& json, const JsonPath& at,
                                        std::uint32_t ranks) const {
    const std::string wanted =
        "each of the ranks 0 to " + std::to_string(ranks - 1) + " once, in an array";
    if (!json.is_array() || json.size() != ranks) return refuse(at, wanted, json);
    std::vector<Rank> ring;
    std::vector<bool> seen(ranks);
    for (std::size_t i = 0; i < json.size(); ++i) {
      RS_ASSIGN(const auto rank, integer(json[i], {&at, {}, i}, {0, ranks - 1}));
      if (seen[rank]) return refuse({&at, {}, i}, wanted, json[i]);
      seen[rank] = true;
      ring.push_back({rank});
    }
    return ring;
  }

  /// The data of the row, moved by the schedule.
  Result<void> fits(const Row& row, const Schedule& schedule, const JsonPath& at) const {
    const Work work{.schedule = &schedule, .count = *row.count, .type = *row.type};
    RS_TRY(prefixed(whole_vector(work), {&at, "count"}));
    const ChunkLayout layout = layout_of(work);
    RS_TRY(prefixed(check_lengths(schedule, layout), {&at, "count"}));
    double moved = 0;
    for (const Transfer& t : schedule.transfers()) moved += t.chunks();
    moved *= static_cast<double>(layout.longest()) * static_cast<double>(size_of(*row.type).count);
    if (moved > max_moved)
      return refuse({&at, "count"}, "its transfers move more than 4 EiB in all");
    if (const Bytes size = size_of(schedule.spec(), *row.count, *row.type); size != *row.size)
      return refuse({&at, "bytes"}, "expected " + std::to_string(size.count) +
                                        ", which is what the count comes to, found " +
                                        std::to_string(row.size->count));
    return {};
  }

  Result<std::vector<Span>> spans(const Json& json, const JsonPath& root, std::size_t n) const {
    const auto found = json.find("spans");
    const JsonPath at{&root, "spans"};
    if (found == json.end()) return missing(root, "spans");
    if (!found->is_array()) return refuse(at, "an array of spans", *found);
    if (found->size() != n)
      return refuse(at, "expected one span for each of the schedule's " + counted(n, "transfer") +
                            ", found " + std::to_string(found->size()));
    std::vector<Span> all(n);
    for (std::size_t i = 0; i < n; ++i) {
      RS_ASSIGN(all[i], span((*found)[i], {&at, {}, i}));
    }
    return all;
  }

  Result<Span> span(const Json& json, const JsonPath& at) const {
    if (!json.is_array() || json.size() != 5)
      return refuse(at, "a span [ready, begin, read, arrival, commit] in picoseconds", json);
    std::array<TimePoint, 5> times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      RS_ASSIGN(times[i].picoseconds, integer<std::int64_t>(json[i], {&at, {}, i}, {0, max_time}));
    }
    const auto [ready, begin, read, arrival, commit] = times;
    if (ready > begin || begin > read || read > commit || begin > arrival || arrival > commit)
      return refuse(at, "times in the order ready, begin, read or arrival, commit", json);
    return Span{ready, begin, read, arrival, commit};
  }

  std::string name_;
};

}  // namespace

Result<std::string> trace_to_json(const RecordedRun& run) {
  Json head{{"ringside_trace", version}, {"measured", run.is_measured}};
  if (!run.share.empty()) head["share"] = run.share;
  head["row"] = json_of(run.row);
  std::string text = dumped(head);
  text.back() = ',';  // there is more
  text += "\n \"spans\": [";
  for (std::size_t i = 0; i < run.spans.size(); ++i)
    text += (i == 0 ? "\n  " : ",\n  ") + to_text(run.spans[i]);
  text += "],\n \"schedule\": " + schedule_to_json(*run.schedule);
  while (text.back() == '\n') text.pop_back();
  text += "}\n";
  if (text.size() > max_text.count)
    return bad_request("a trace of " + counted(run.spans.size(), "transfer") +
                       " takes more than the " + to_string(max_text) +
                       " that can be read again: take fewer ranks or chunks");
  return text;
}

Result<RecordedRun> trace_from_json(std::string_view text, std::string_view name) {
  RS_ASSIGN(const Json json, Reader::parse(text, name, {"trace", max_text, max_depth}));
  return Reader(name).run(json);
}

}  // namespace ringside
