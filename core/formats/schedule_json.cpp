#include "core/formats/schedule_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/formats/json_reader.hpp"
#include "core/formats/schedule_size.hpp"
#include "core/schedule_builder.hpp"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t version = 1;
constexpr Bytes max_text = 64_MiB;
constexpr std::size_t max_depth = 5;  // file, steps, step, transfer, slot
constexpr std::uint64_t max_slots = ScheduleSize::most;
constexpr std::array<std::string_view, 3> buffer_names{"input", "output", "scratch"};

// ---- writing

std::string to_text(const Slot& slot) {
  return "[" + std::to_string(slot.rank.value) + ", \"" +
         std::string(buffer_names[static_cast<std::size_t>(slot.buffer)]) + "\", " +
         std::to_string(slot.chunk.value) + "]";
}

std::string to_text(const Transfer& t) {
  const bool is_copy = t.action() == Action::copy;
  std::string text =
      is_copy ? R"({"action": "copy", "from": )" : R"({"action": "reduce", "from": )";
  text += to_text(t.src());
  if (t.has_separate_operand()) text += ", \"with\": " + to_text(t.with());
  text += ", \"to\": " + to_text(t.dst());
  if (t.chunks() != 1) text += ", \"chunks\": " + std::to_string(t.chunks());
  if (t.channel().value != 0) text += ", \"channel\": " + std::to_string(t.channel().value);
  return text + "}";
}

// ---- reading

class Reader : JsonReader<Json> {
 public:
  using JsonReader::JsonReader;
  using JsonReader::parse;

  Result<Schedule> schedule(const Json& json) {
    const JsonPath root;
    RS_TRY(keys(json, root,
                {"ringside_schedule", "collective", "ranks", "root", "in_place", "chunks", "agents",
                 "steps"}));
    RS_TRY(number(json, root, "ringside_schedule", {version, version}));
    CollectiveSpec spec;
    RS_ASSIGN(const auto collective, word(json, root, "collective"));
    RS_ASSIGN(spec.kind, prefixed(parse_collective(collective), {&root, "collective"}));
    RS_ASSIGN(spec.ranks, number(json, root, "ranks", {1, Transfer::max_ranks}));
    RS_ASSIGN(spec.root.value, number(json, root, "root", {0, spec.ranks - 1, 0}));
    RS_ASSIGN(spec.in_place, flag(json, root, "in_place"));
    RS_TRY(prefixed(check(spec), root));
    RS_ASSIGN(const auto chunks, number(json, root, "chunks", {1, max_slots}));
    RS_ASSIGN(const auto agents,
              number(json, root, "agents", {0, Transfer::max_ranks - spec.ranks, 0}));
    size_.participants = spec.ranks + agents;
    size_.chunks = chunks;
    RS_TRY(sane_size(root));
    ScheduleBuilder builder(spec, chunks, agents);
    RS_TRY(steps(json, root, builder));
    return prefixed(std::move(builder).build(), root);
  }

 private:
  Result<Slot> slot(const Json& json, const JsonPath& parent, std::string_view key) const {
    const JsonPath at{&parent, key};
    const auto found = json.find(key);
    if (found == json.end()) return missing(parent, key);
    if (!found->is_array() || found->size() != 3)
      return refuse(at, R"(a slot [rank, buffer, chunk] such as [0, "input", 3])", *found);
    Slot slot;
    RS_ASSIGN(slot.rank.value, integer((*found)[0], {&at, {}, 0}, {0, size_.participants - 1}));
    const auto& buffer = (*found)[1];
    const auto known = std::find(buffer_names.begin(), buffer_names.end(),
                                 buffer.is_string() ? buffer.get<std::string>() : "");
    if (known == buffer_names.end())
      return refuse({&at, {}, 1}, R"("input", "output" or "scratch")", buffer);
    slot.buffer = static_cast<Buffer>(known - buffer_names.begin());
    const auto chunks = slot.buffer == Buffer::scratch ? max_slots : size_.chunks;
    RS_ASSIGN(slot.chunk.value, integer((*found)[2], {&at, {}, 2}, {0, chunks - 1}));
    return slot;
  }

  Result<void> steps(const Json& json, const JsonPath& root, TransferSink& sink) {
    const auto found = json.find("steps");
    const JsonPath at{&root, "steps"};
    if (found == json.end()) return missing(root, "steps");
    if (!found->is_array()) return refuse(at, "an array of steps", *found);
    for (std::size_t s = 0; s < found->size(); ++s, sink.next_step()) {
      const Json& step = (*found)[s];
      const JsonPath here{&at, {}, s};
      if (!step.is_array()) return refuse(here, "a step: an array of transfers", step);
      for (std::size_t t = 0; t < step.size(); ++t) RS_TRY(transfer(step[t], {&here, {}, t}, sink));
    }
    return {};
  }

  Result<void> transfer(const Json& json, const JsonPath& at, TransferSink& sink) {
    RS_TRY(keys(json, at, {"action", "from", "with", "to", "chunks", "channel"}));
    RS_ASSIGN(const auto action, word(json, at, "action"));
    if (action != "copy" && action != "reduce")
      return refuse({&at, "action"}, R"("copy" or "reduce")", json["action"]);
    RS_ASSIGN(const auto from, slot(json, at, "from"));
    RS_ASSIGN(const auto to, slot(json, at, "to"));
    RS_ASSIGN(const auto chunks, number(json, at, "chunks", {1, max_slots, 1}));
    RS_ASSIGN(const auto channel, number(json, at, "channel", {0, Transfer::max_channels - 1, 0}));
    Slot with = to;
    if (json.contains("with")) {
      if (action == "copy") return refuse({&at, "with"}, "only a reduce has an operand");
      RS_ASSIGN(with, slot(json, at, "with"));
      if (with.rank != to.rank)
        return refuse({&at, "with"},
                      "a slot on rank " + std::to_string(to.rank.value) + ", where the result goes",
                      json["with"]);
    }
    const Transfer told = action == "copy" ? Transfer::copy(from, to, chunks, {channel})
                                           : Transfer::reduce(from, with, to, chunks, {channel});
    size_.add(told);
    RS_TRY(sane_size(at));
    sink.add(told);
    return {};
  }

  Result<void> sane_size(const JsonPath& at) const {
    if (size_.fits()) return {};
    return refuse(at, ScheduleSize::refusal());
  }

  ScheduleSize size_;
};

}  // namespace

std::string schedule_to_json(const Schedule& schedule) {
  const auto& spec = schedule.spec();
  std::string text = "{\"ringside_schedule\": " + std::to_string(version) + ", \"collective\": \"" +
                     std::string(name(spec.kind)) + "\", \"ranks\": " + std::to_string(spec.ranks) +
                     ", \"root\": " + std::to_string(spec.root.value) +
                     ", \"in_place\": " + (spec.in_place ? "true" : "false") +
                     ",\n \"chunks\": " + std::to_string(schedule.chunks()) +
                     ", \"agents\": " + std::to_string(schedule.agents()) + ",\n \"steps\": [";
  for (std::uint32_t s = 0; s < schedule.steps(); ++s) {
    text += s == 0 ? "[\n" : ", [\n";
    for (auto id = schedule.step_begin({s}); id < schedule.step_end({s}); ++id.value)
      text += (id == schedule.step_begin({s}) ? "  " : ",\n  ") + to_text(schedule[id]);
    text += "]";
  }
  return text + "]}\n";
}

Result<Schedule> schedule_from_json(std::string_view text, std::string_view name) {
  RS_ASSIGN(const Json json, Reader::parse(text, name, {"schedule", max_text, max_depth}));
  return Reader(name).schedule(json);
}

}  // namespace ringside
