// Any schedule as straight-line code. A message of many chunks is nothing but its chunks here: what
// is done to one never depends on another.

#include <vector>

#include "core/binding.hpp"
#include "core/message.hpp"
#include "core/slot_history.hpp"
#include "gpu/host/buffers.hpp"
#include "gpu/host/linear_order.hpp"
#include "gpu/host/slice_plan.hpp"

namespace ringside::host {
namespace {

class ScheduleTranslator {
 public:
  ScheduleTranslator(const Work& work, const Memory& memory)
      : work_(work),
        schedule_(*work.schedule),
        buffers_{memory, layout_of(work), size_of(work.type).count},
        index_(schedule_),
        planner_(work.type),
        number_(index_.size(), unknown) {}

  SlicePlan plan() && {
    if (reduces(schedule_.spec().kind) && work_.op == ReduceOp::mulsum) scale_inputs();
    landing_.resize(schedule_.transfers().size());
    for (const Event& event : linear_order(schedule_)) add(event);
    if (reduces(schedule_.spec().kind) && work_.op == ReduceOp::avg) divide_outputs();
    return std::move(planner_).build();
  }

 private:
  using Number = SlicePlanner::Number;
  static constexpr Number unknown = UINT32_MAX;

  Number place(const Slot& slot) {
    auto& number = number_[index_(slot)];
    if (number == unknown)
      number = slot.buffer == Buffer::scratch ? planner_.room() : planner_.chunk(buffers_.at(slot));
    return number;
  }

  /// Out of place into the room, since a source must stay as it is.
  void scale_inputs() {
    for (const Slot& slot : precondition(schedule_.spec(), schedule_.chunks())) {
      const auto elements = buffers_.layout.elements(slot.chunk);
      const auto given = place(slot);
      if (slot.buffer == Buffer::input) number_[index_(slot)] = planner_.room();
      planner_.scale(given, place(slot), elements);
    }
  }

  void divide_outputs() {
    for (const Expectation& e : postcondition(schedule_.spec(), schedule_.chunks()))
      planner_.divide(place(e.slot), buffers_.layout.elements(e.slot.chunk));
  }

  void add(const Event& event) {
    const Transfer& t = schedule_[event.transfer];
    if (event.phase == Phase::read) landing_[event.transfer.value].resize(t.chunks());
    for (std::uint32_t i = 0; i < t.chunks(); ++i)
      add_chunk(event, last_chunk_first(t) ? t.chunks() - 1 - i : i);
    if (event.phase == Phase::commit) landing_[event.transfer.value] = {};
  }

  void add_chunk(const Event& event, std::uint32_t nth_chunk) {
    const Transfer& t = schedule_[event.transfer];
    const auto elements = slot_elements(t, nth_chunk, buffers_.layout);
    auto from = event.phase == Phase::commit ? landing_[event.transfer.value][nth_chunk]
                                             : place(nth(t.src(), nth_chunk));
    const auto into = place(nth(t.dst(), nth_chunk));
    if (event.phase == Phase::read) {
      const auto landing = landing_[event.transfer.value][nth_chunk] = planner_.room();
      planner_.copy(from, landing, elements);
    } else if (t.action() == Action::copy) {
      planner_.copy(from, into, elements);
    } else {
      planner_.reduce(from, place(nth(t.with(), nth_chunk)), into, elements);
    }
  }

  const Work& work_;
  const Schedule& schedule_;
  Buffers buffers_;
  SlotIndex index_;
  SlicePlanner planner_;
  std::vector<Number> number_;                // by slot
  std::vector<std::vector<Number>> landing_;  // by transfer and chunk, while it is on its way
};

}  // namespace

SlicePlan plan_schedule(const Work& work, const Memory& memory) {
  return ScheduleTranslator(work, memory).plan();
}

}  // namespace ringside::host
