#include "core/seen_from_outside.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/collective.hpp"
#include "core/schedule_builder.hpp"

namespace ringside {
namespace {

/// Slots that travel together: each the next one of the slot before.
struct Run {
  Slot from, to;
  std::uint32_t chunks = 0;
};

void add(std::vector<Run>& runs, const Slot& from, const Slot& to) {
  if (!runs.empty()) {
    Run& last = runs.back();
    if (nth(last.from, last.chunks) == from && nth(last.to, last.chunks) == to) {
      ++last.chunks;
      return;
    }
  }
  runs.push_back({from, to, 1});
}

class Hub {
 public:
  Hub(const CollectiveSpec& spec, std::uint32_t chunks)
      : spec_(spec), is_sum_(reduces(spec.kind) || spec.kind == CollectiveKind::barrier) {
    for (const Slot& slot : precondition(spec, chunks)) add(given_, slot, place(slot));
    for (const Expectation& e : postcondition(spec, chunks))
      add(taken_, place({e.first, Buffer::input, e.from_chunk}), e.slot);
  }

  void tell(TransferSink& sink) const {
    std::map<std::uint32_t, bool> is_there;  // by chunk of the hub: runs of all ranks are alike
    for (const Run& run : given_)
      if (is_sum_ && std::exchange(is_there[run.to.chunk.value], true))
        sink.reduce(run.from, run.to, run.to, run.chunks, 0);
      else
        sink.copy(run.from, run.to, run.chunks, 0);
    sink.next_step();
    for (const Run& run : taken_) sink.copy(run.from, run.to, run.chunks, 0);
    sink.next_step();
  }

 private:
  /// Where the hub keeps what a rank had: sums by chunk, all else one beside the other.
  Slot place(const Slot& slot) {
    if (is_sum_) return scratch(spec_.ranks, slot.chunk.value);
    const auto next = static_cast<std::uint32_t>(places_.size());
    return scratch(spec_.ranks, places_.try_emplace({slot.rank, slot.chunk}, next).first->second);
  }

  const CollectiveSpec& spec_;
  bool is_sum_;
  std::map<std::pair<Rank, ChunkId>, std::uint32_t> places_;
  std::vector<Run> given_, taken_;
};

}  // namespace

Result<Schedule> seen_from_outside(const CollectiveSpec& spec) {
  const std::uint32_t chunks = is_blocked(spec.kind) ? spec.ranks : 1;
  const Hub hub(spec, chunks);
  return ScheduleBuilder(spec, chunks, 1).build([&](TransferSink& sink) { hub.tell(sink); });
}

std::vector<Span> spans_from_outside(const Schedule& schedule, std::span<const Span> calls) {
  TimePoint all{};  // have begun
  for (const Span& call : calls) all = std::max(all, call.begin);
  const auto hub = schedule.spec().ranks;
  std::vector<Span> spans;
  for (const Transfer& t : schedule.transfers()) {
    if (t.dst().rank.value == hub) {
      const TimePoint begin = calls[t.src().rank.value].begin;
      spans.push_back({begin, begin, all, all, all});
    } else {
      const TimePoint end = std::max(all, calls[t.dst().rank.value].commit);
      spans.push_back({all, all, end, end, end});
    }
  }
  return spans;
}

}  // namespace ringside
