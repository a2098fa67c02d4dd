// No algorithm: what the collective promises is computed as its definition reads. A value that is
// promised to several ranks is computed once and copied.

#include <map>
#include <vector>

#include "gpu/host/buffers.hpp"
#include "gpu/host/slice_plan.hpp"

namespace ringside::host {
namespace {

/// Chunk `from` of `count` ranks from `first` on, combined.
struct Value {
  ChunkId from;
  Rank first;
  std::uint32_t count;
  friend auto operator<=>(const Value&, const Value&) = default;
};

class DirectPlanner {
 public:
  DirectPlanner(const Work& work, const Memory& memory)
      : work_(work),
        spec_(work.schedule->spec()),
        chunks_(is_blocked(spec_.kind) ? spec_.ranks : 1),
        buffers_{memory, ChunkLayout(spec_, chunks_, work.count), size_of(work.type).count},
        planner_(work.type) {}

  SlicePlan plan() && {
    std::map<Value, std::vector<Slot>> promised;
    if (spec_.kind != CollectiveKind::barrier)  // it promises no bytes, only that all have come
      for (const auto& e : postcondition(spec_, chunks_))
        promised[{e.from_chunk, e.first, e.count}].push_back(e.slot);
    for (const auto& [value, slots] : promised) {
      elements_ = buffers_.layout.elements(value.from);
      reduces(spec_.kind) ? combine(value, slots) : spread(source(value, 0), slots);
    }
    return std::move(planner_).build();
  }

 private:
  using Number = SlicePlanner::Number;

  /// In place, a source may be a target too: one number.
  Number chunk(const Slot& slot) {
    const auto [at, fresh] = numbers_.try_emplace(slot, 0);
    if (fresh) at->second = planner_.chunk(buffers_.at(slot));
    return at->second;
  }

  /// What the nth of its ranks gives.
  Number source(const Value& value, std::uint32_t nth_rank) {
    const auto rank = value.first.value + nth_rank;
    return chunk(spec_.in_place ? output(rank, value.from.value) : input(rank, value.from.value));
  }

  Number summand(const Value& value, std::uint32_t nth_rank) {
    const auto given = source(value, nth_rank);
    if (work_.op != ReduceOp::mulsum) return given;
    const auto scaled = planner_.room();
    planner_.scale(given, scaled, elements_);
    return scaled;
  }

  /// The sum grows in the room, because a target may be a source that is still to come.
  void combine(const Value& value, const std::vector<Slot>& slots) {
    const auto total = chunk(slots.front());
    auto sum = summand(value, 0);
    const auto room = planner_.room();
    for (std::uint32_t r = 1; r < value.count; ++r) {
      const auto into = r + 1 == value.count ? total : room;
      planner_.reduce(summand(value, r), sum, into, elements_);
      sum = into;
    }
    if (sum != total) planner_.copy(sum, total, elements_);
    if (work_.op == ReduceOp::avg) planner_.divide(total, elements_);
    spread(total, slots);
  }

  void spread(Number from, const std::vector<Slot>& slots) {
    for (const Slot& slot : slots)
      if (chunk(slot) != from) planner_.copy(from, chunk(slot), elements_);
  }

  const Work& work_;
  CollectiveSpec spec_;
  std::uint32_t chunks_;
  Buffers buffers_;
  SlicePlanner planner_;
  std::map<Slot, Number> numbers_;
  std::uint64_t elements_ = 0;  // of the value at hand
};

}  // namespace

SlicePlan plan_direct(const Work& work, const Memory& memory) {
  return DirectPlanner(work, memory).plan();
}

}  // namespace ringside::host
