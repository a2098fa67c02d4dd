#include "core/formats/schedule_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/schedule_builder.hpp"
#include "core/suggest.hpp"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t version = 1;
constexpr std::size_t max_text = std::size_t{64} << 20;
constexpr std::size_t max_depth = 5;  // file, steps, step, transfer, slot
/// Slots on all ranks, and slots moved by all transfers: beyond any schedule that people read.
constexpr std::uint64_t max_slots = std::uint64_t{1} << 23;
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

/// Where in the text we are; spelled out only when something is wrong there.
struct Path {
  const Path* parent = nullptr;
  std::string_view key = {};
  std::size_t index = 0;

  std::string text() const {
    if (!parent) return "";
    return parent->text() + "/" + (key.empty() ? std::to_string(index) : std::string(key));
  }
};

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  Result<Schedule> schedule(const Json& json) {
    const Path root;
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
    participants_ = spec.ranks + agents;
    chunks_ = chunks;
    RS_TRY(sane_size(root));
    ScheduleBuilder builder(spec, chunks, agents);
    RS_TRY(steps(json, root, builder));
    return prefixed(std::move(builder).build(), root);
  }

 private:
  /// Allowed values of a number; `missing` (if not negative) stands in where it is left out.
  struct Range {
    std::uint64_t least, most;
    std::int64_t missing = -1;
  };

  tl::unexpected<Error> refuse(const Path& at, const std::string& what) const {
    const auto path = at.text();
    return bad_request(name_ + ": " + (path.empty() ? "" : path + ": ") + what);
  }
  tl::unexpected<Error> refuse(const Path& at, const std::string& wanted, const Json& found) const {
    auto text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 37) + "...";
    return refuse(at, "expected " + wanted + ", found " + text);
  }
  template <typename T>
  Result<T> prefixed(Result<T> result, const Path& at) const {
    if (!result) return refuse(at, result.error().message);
    return result;
  }

  Result<void> keys(const Json& json, const Path& at,
                    std::initializer_list<std::string_view> known) const {
    if (!json.is_object()) return refuse(at, "an object", json);
    const std::vector<std::string_view> all(known);
    for (const auto& item : json.items())
      if (std::find(all.begin(), all.end(), item.key()) == all.end())
        return refuse(at, unknown("field", item.key(), all));
    return {};
  }

  Result<std::uint32_t> integer(const Json& json, const Path& at, Range range) const {
    const auto wanted = range.least == range.most
                            ? std::to_string(range.least)
                            : "a whole number from " + std::to_string(range.least) + " to " +
                                  std::to_string(range.most);
    if (!json.is_number_unsigned()) return refuse(at, wanted, json);
    const auto value = json.get<std::uint64_t>();
    if (value < range.least || value > range.most) return refuse(at, wanted, json);
    return static_cast<std::uint32_t>(value);
  }
  Result<std::uint32_t> number(const Json& json, const Path& at, std::string_view key,
                               Range range) const {
    const auto found = json.find(key);
    if (found != json.end()) return integer(*found, {&at, key}, range);
    if (range.missing < 0) return refuse(at, "the field \"" + std::string(key) + "\" is missing");
    return static_cast<std::uint32_t>(range.missing);
  }
  Result<std::string> word(const Json& json, const Path& at, std::string_view key) const {
    const auto found = json.find(key);
    if (found == json.end()) return refuse(at, "the field \"" + std::string(key) + "\" is missing");
    if (!found->is_string()) return refuse({&at, key}, "a word in quotes", *found);
    return found->get<std::string>();
  }
  Result<bool> flag(const Json& json, const Path& at, std::string_view key) const {
    const auto found = json.find(key);
    if (found == json.end()) return false;
    if (!found->is_boolean()) return refuse({&at, key}, "true or false", *found);
    return found->get<bool>();
  }

  Result<Slot> slot(const Json& json, const Path& parent, std::string_view key) const {
    const Path at{&parent, key};
    const auto found = json.find(key);
    if (found == json.end())
      return refuse(parent, "the field \"" + std::string(key) + "\" is missing");
    if (!found->is_array() || found->size() != 3)
      return refuse(at, R"(a slot [rank, buffer, chunk] such as [0, "input", 3])", *found);
    Slot slot;
    RS_ASSIGN(slot.rank.value, integer((*found)[0], {&at, {}, 0}, {0, participants_ - 1}));
    const auto& buffer = (*found)[1];
    const auto known = std::find(buffer_names.begin(), buffer_names.end(),
                                 buffer.is_string() ? buffer.get<std::string>() : "");
    if (known == buffer_names.end())
      return refuse({&at, {}, 1}, R"("input", "output" or "scratch")", buffer);
    slot.buffer = static_cast<Buffer>(known - buffer_names.begin());
    const auto chunks = slot.buffer == Buffer::scratch ? max_slots : std::uint64_t{chunks_};
    RS_ASSIGN(slot.chunk.value, integer((*found)[2], {&at, {}, 2}, {0, chunks - 1}));
    return slot;
  }

  Result<void> steps(const Json& json, const Path& root, TransferSink& sink) {
    const auto found = json.find("steps");
    const Path at{&root, "steps"};
    if (found == json.end()) return refuse(root, "the field \"steps\" is missing");
    if (!found->is_array()) return refuse(at, "an array of steps", *found);
    for (std::size_t s = 0; s < found->size(); ++s, sink.next_step()) {
      const Json& step = (*found)[s];
      const Path here{&at, {}, s};
      if (!step.is_array()) return refuse(here, "a step: an array of transfers", step);
      for (std::size_t t = 0; t < step.size(); ++t) RS_TRY(transfer(step[t], {&here, {}, t}, sink));
    }
    return {};
  }

  Result<void> transfer(const Json& json, const Path& at, TransferSink& sink) {
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
    moved_ += chunks;
    for (const Slot& s : {from, with, to})
      if (s.buffer == Buffer::scratch)
        scratch_ = std::max(scratch_, std::uint64_t{s.chunk.value} + chunks);
    RS_TRY(sane_size(at));
    if (action == "copy")
      sink.copy(from, to, chunks, channel);
    else
      sink.reduce(from, with, to, chunks, channel);
    return {};
  }

  Result<void> sane_size(const Path& at) const {
    if (participants_ * (2 * std::uint64_t{chunks_} + scratch_) <= max_slots && moved_ <= max_slots)
      return {};
    return refuse(at, "the schedule is too large: at most " + std::to_string(max_slots) +
                          " slots on all ranks, and as many moved, can be read from a file");
  }

  std::string name_;
  std::uint32_t participants_ = 0, chunks_ = 0;
  std::uint64_t scratch_ = 0, moved_ = 0;
};

/// The library copies and prints by recursion: what nests a million deep must never reach it.
bool nests_deeper_than(std::size_t most, std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;  // whatever it escapes
    if (in_string) continue;
    if (c == ']' || c == '}') depth -= depth > 0 ? 1 : 0;
    if ((c == '[' || c == '{') && ++depth > most) return true;
  }
  return false;
}

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
  const std::string called(name);
  if (text.size() > max_text)
    return bad_request(called + " is larger than 64 MiB; no schedule that a file can hold is");
  if (nests_deeper_than(max_depth, text))
    return bad_request(called + " is no schedule: one nests " + std::to_string(max_depth) +
                       " deep at most");
  try {
    return Reader(name).schedule(Json::parse(text));
  } catch (const Json::parse_error& error) {
    return bad_request(called + " is not JSON: at byte " + std::to_string(error.byte) +
                       " something else than JSON's next token stands");
  } catch (const Json::out_of_range&) {
    return bad_request(called + " is no schedule: it holds a number too large for any count");
  }
}

}  // namespace ringside
