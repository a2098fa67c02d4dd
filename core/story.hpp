#pragma once

#include <cstdint>
#include <functional>

#include "core/engine.hpp"
#include "core/schedule.hpp"
#include "core/transfer_sink.hpp"

namespace ringside {

/// What an algorithm tells, and what a listener must know before: enough to follow it without
/// storing it. `tell` says the same each time, and ends with what the sink's finish() hands over.
struct Story {
  CollectiveSpec spec;
  std::uint32_t chunks = 1;  ///< of the whole vector
  std::uint32_t agents = 0;
  std::function<void(TransferSink&)> tell;
  std::uint32_t participants() const { return spec.ranks + agents; }
};

/// The plan's algorithm is kept by address (algorithms live as long as the program).
Story story_of(const Plan& plan);
/// A stored schedule told again; it must outlive the story.
Story story_of(const Schedule& schedule);

/// Position in the told story, counted as ScheduleBuilder counts: what is not kept has none.
struct StoryPosition {
  std::uint64_t transfer = 0;
  Step step;
};

/// What ScheduleBuilder keeps of a told transfer: in place, input slots are the output slots they
/// share. False if nothing is left of it: a copy from a slot to itself.
inline bool keep(const CollectiveSpec& spec, Transfer& t) {
  if (!spec.in_place) return true;
  t = t.in_place();
  return t.action() == Action::reduce || t.src() != t.dst();
}

/// One sentence if a kept transfer names a rank, chunk or channel that is not there, or writes to
/// an input out of place.
Result<void> check_transfer(const Story& story, const Transfer& transfer, StoryPosition at);

}  // namespace ringside
