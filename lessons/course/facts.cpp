#include "lessons/course/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/message.hpp"
#include "core/replay.hpp"
#include "core/suggest.hpp"

namespace ringside::lessons {
namespace {

/// An argument that counts something below `end`.
Result<std::uint32_t> index(double value, std::string_view what, std::uint32_t end) {
  if (!(value >= 0 && value < end && std::floor(value) == value))
    return bad_request(fmt::format("{} {} is none of 0 to {}", what, value, end - 1));
  return static_cast<std::uint32_t>(value);
}

Result<Rank> rank_of(const Experiment& run, double value) {
  RS_ASSIGN(const auto rank, index(value, "rank", run.schedule->participants()));
  return Rank{rank};
}
Result<Step> step_of(const Experiment& run, double value) {
  RS_ASSIGN(const auto step, index(value, "step", run.schedule->steps()));
  return Step{step};
}

/// Bytes of all messages for which `counts`.
template <typename Counts>
double bytes(const Experiment& run, Counts counts) {
  const ChunkLayout layout(run.schedule->spec(), run.schedule->chunks(), run.payload.count);
  std::uint64_t elements = 0;
  for (const Transfer& t : run.schedule->transfers())
    if (!t.is_local() && counts(t)) elements += message_elements(t, layout);
  return static_cast<double>(elements) * static_cast<double>(size_of(run.payload.type).count);
}

double sent_by(const Experiment& run, Rank rank) {
  return bytes(run, [rank](const Transfer& t) { return t.src().rank == rank; });
}
double received_by(const Experiment& run, Rank rank) {
  return bytes(run, [rank](const Transfer& t) { return t.dst().rank == rank; });
}

/// The first message that the rank sends in the step.
Result<const Transfer*> message(const Experiment& run, double rank_value, double step_value) {
  RS_ASSIGN(const Rank rank, rank_of(run, rank_value));
  RS_ASSIGN(const Step step, step_of(run, step_value));
  const Schedule& schedule = *run.schedule;
  for (auto id = schedule.step_begin(step); id < schedule.step_end(step); ++id.value)
    if (schedule[id].src().rank == rank && !schedule[id].is_local()) return &schedule[id];
  return bad_request(fmt::format("rank {} sends nothing in step {}", rank.value, step.value));
}

Result<double> time_of(const Experiment& run, Arguments /*none*/) {
  return run.time.seconds();
}
Result<double> steps_of(const Experiment& run, Arguments /*none*/) {
  return run.schedule->steps();
}
Result<double> messages_of(const Experiment& run, Arguments /*none*/) {
  const auto all = run.schedule->transfers();
  return static_cast<double>(
      std::count_if(all.begin(), all.end(), [](const Transfer& t) { return !t.is_local(); }));
}
Result<double> ranks_of(const Experiment& run, Arguments /*none*/) {
  return run.ranks();
}
Result<double> chunks_of(const Experiment& run, Arguments /*none*/) {
  return run.schedule->chunks();
}
Result<double> sent(const Experiment& run, Arguments arguments) {
  RS_ASSIGN(const Rank rank, rank_of(run, arguments[0]));
  return sent_by(run, rank);
}
Result<double> received(const Experiment& run, Arguments arguments) {
  RS_ASSIGN(const Rank rank, rank_of(run, arguments[0]));
  return received_by(run, rank);
}
Result<double> port(const Experiment& run, Arguments /*none*/) {
  double most = 0;
  for (std::uint32_t r = 0; r < run.schedule->participants(); ++r)
    most = std::max(most, sent_by(run, {r}) + received_by(run, {r}));
  return most;
}
Result<double> total(const Experiment& run, Arguments /*none*/) {
  return bytes(run, [](const Transfer&) { return true; });
}
Result<double> busiest_link_bytes(const Experiment& run, Arguments /*none*/) {
  double most = 0;
  for (const sim::LinkUse& use : run.links)
    most = std::max(most, static_cast<double>(use.bytes.count));
  return most;
}
Result<double> chunk_sent(const Experiment& run, Arguments arguments) {
  RS_ASSIGN(const Transfer* sent, message(run, arguments[0], arguments[1]));
  return sent->src().chunk.value;
}
Result<double> receiver(const Experiment& run, Arguments arguments) {
  RS_ASSIGN(const Transfer* sent, message(run, arguments[0], arguments[1]));
  return sent->dst().rank.value;
}
Result<Held> held_after(const Experiment& run, double rank, double chunk, double steps) {
  RS_ASSIGN(const Rank who, rank_of(run, rank));
  RS_ASSIGN(const auto which, index(chunk, "chunk", run.schedule->chunks()));
  RS_ASSIGN(const auto done, index(steps, "number of steps", run.schedule->steps() + 1));
  return held(run, who, {which}, done);
}
Result<double> contributors(const Experiment& run, Arguments arguments) {
  RS_ASSIGN(const Held what, held_after(run, arguments[0], arguments[1], arguments[2]));
  return what.contributors;
}
Result<double> value(const Experiment& run, Arguments arguments) {
  RS_ASSIGN(const Held what, held_after(run, arguments[0], arguments[1], run.schedule->steps()));
  return what.value;
}
Result<double> value_after(const Experiment& run, Arguments arguments) {
  RS_ASSIGN(const Held what, held_after(run, arguments[0], arguments[1], arguments[2]));
  return what.value;
}
Result<double> algbw(const Experiment& run, Arguments /*none*/) {
  if (!run.row.algbw()) return bad_request("nothing was moved in any time");
  return *run.row.algbw() * 1e9;
}
Result<double> busbw(const Experiment& run, Arguments /*none*/) {
  if (!run.row.busbw()) return bad_request("nothing was moved in any time");
  return *run.row.busbw() * 1e9;
}
/// How long messages were ready and had to wait for a wire, all together.
Result<double> waiting(const Experiment& run, Arguments /*none*/) {
  Duration waited{};
  for (std::uint32_t i = 0; i < run.spans.size(); ++i)
    if (!(*run.schedule)[{i}].is_local()) waited += run.spans[i].begin - run.spans[i].ready;
  return waited.seconds();
}
Result<double> float_sum_of_four(const Experiment& run, Arguments arguments) {
  RS_ASSIGN(const auto chunk, index(arguments[0], "chunk", run.schedule->chunks()));
  std::vector<float> floats;
  for (const double one : arguments.subspan(1)) floats.push_back(static_cast<float>(one));
  RS_ASSIGN(const float sum, float_sum(run, {chunk}, floats));
  return sum;
}

constexpr Fact all[] = {
    {"time", 0, Unit::time, "from start to last arrival", time_of},
    {"steps", 0, Unit::none, "of the algorithm", steps_of},
    {"messages", 0, Unit::none, "between ranks", messages_of},
    {"ranks", 0, Unit::none, "that take part", ranks_of},
    {"chunks", 0, Unit::none, "of the whole vector", chunks_of},
    {"sent", 1, Unit::bytes, "by a rank", sent},
    {"received", 1, Unit::bytes, "by a rank", received},
    {"port", 0, Unit::bytes, "sent and received by the rank that has most of it", port},
    {"total", 0, Unit::bytes, "sent by all ranks", total},
    {"busiest_link_bytes", 0, Unit::bytes, "over the link that carries most", busiest_link_bytes},
    {"chunk_sent", 2, Unit::none, "which chunk a rank sends in a step", chunk_sent},
    {"receiver", 2, Unit::none, "the rank it sends to in a step", receiver},
    {"contributors", 3, Unit::none, "ranks whose parts a rank has of a chunk after so many steps",
     contributors},
    {"value", 2, Unit::none, "of a rank's chunk at the end, by the card rule", value},
    {"value_after", 3, Unit::none, "of a rank's chunk after so many steps", value_after},
    {"algbw", 0, Unit::bandwidth, "as nccl-tests has it", algbw},
    {"busbw", 0, Unit::bandwidth, "as nccl-tests has it", busbw},
    {"waiting", 0, Unit::time, "of messages for wires, summed", waiting},
    {"float_sum", 5, Unit::none, "a chunk's sum in single precision, of four ranks' numbers",
     float_sum_of_four},
};

constexpr std::uint64_t most_cells = 1u << 25;

}  // namespace

std::span<const Fact> facts() {
  return all;
}

Result<Held> held(const Experiment& run, Rank rank, ChunkId chunk, std::uint32_t steps_done) {
  const Schedule& schedule = *run.schedule;
  const auto cells = std::uint64_t{schedule.participants()} * schedule.spec().ranks *
                     (2 * schedule.chunks() + schedule.scratch_chunks()) * (schedule.steps() + 1);
  if (cells > most_cells)
    return bad_request(counted(run.ranks(), "rank") + " are too many to follow every value of");
  Replay replay(schedule);
  replay.seek(steps_done == 0 ? 0 : schedule.step_end({steps_done - 1}).value);
  for (const Buffer buffer : {Buffer::output, Buffer::input}) {
    const auto& content = replay.at({rank, buffer, chunk});
    if (content) return Held{content->contributors(), content->value};
  }
  return bad_request(fmt::format("rank {} has nothing of chunk {} then", rank.value, chunk.value));
}

Result<float> float_sum(const Experiment& run, ChunkId chunk, std::span<const float> floats) {
  const Schedule& schedule = *run.schedule;
  if (!reduces(schedule.spec().kind) || floats.size() != run.ranks())
    return bad_request(fmt::format("it sums what {} ranks start with, and this run has {} that {}",
                                   floats.size(), run.ranks(),
                                   reduces(schedule.spec().kind) ? "add" : "do not add"));
  std::map<Slot, float> now;
  for (const Slot& slot : precondition(schedule.spec(), schedule.chunks()))
    now[slot] = floats[slot.rank.value];
  for (std::uint32_t s = 0; s < schedule.steps(); ++s) {
    const auto before = now;  // all reads of a step see the slots as they were before it
    for (auto id = schedule.step_begin({s}); id < schedule.step_end({s}); ++id.value) {
      const Transfer& t = schedule[id];
      for (std::uint32_t i = 0; i < t.chunks(); ++i) {
        const auto source = before.find(nth(t.src(), i));
        if (source == before.end()) return bad_request("it sends what was never written");
        float& target = now[nth(t.dst(), i)];
        if (t.action() == Action::copy) {
          target = source->second;
        } else {
          const bool is_own = !t.has_separate_operand();
          const auto with = before.find(nth(t.with(), i));
          if (!is_own && with == before.end()) return bad_request("it adds to what is not there");
          target = (is_own ? target : with->second) + source->second;
        }
      }
    }
  }
  for (std::uint32_t r = 0; r < run.ranks(); ++r)
    if (const auto found = now.find(output(r, chunk.value)); found != now.end())
      return found->second;
  return bad_request("no rank has that chunk at the end");
}

}  // namespace ringside::lessons
