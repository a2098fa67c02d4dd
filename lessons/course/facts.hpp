#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "lessons/course/amount.hpp"
#include "lessons/course/laboratory.hpp"

// What a lesson may ask of a run. A fact is computed from the schedule and the simulation; nothing
// here knows a formula.

namespace ringside::lessons {

/// Numbers after the run's name, as expressions hand them over.
using Arguments = std::span<const double>;

struct Fact {
  std::string_view name;
  std::size_t arguments;  ///< after the run
  Unit unit;              ///< of what it gives: none, bytes, time or bandwidth
  std::string_view meaning;
  Result<double> (*of)(const Experiment& run, Arguments arguments);
};
/// All there are, in the order of the guide.
std::span<const Fact> facts();

/// What a rank holds of a chunk once `steps_done` steps are done, by the rule of the step: its
/// output where written, else its input, else scratch. The number is demonstration_value()'s.
struct Held {
  std::uint32_t contributors = 0;
  double value = 0;
};
Result<Held> held(const Experiment& run, Rank rank, ChunkId chunk, std::uint32_t steps_done);

/// What the rank's vector holds of `chunk` at the end if rank r starts with floats[r] in all of
/// it: added in single precision, in the order of the schedule.
Result<float> float_sum(const Experiment& run, ChunkId chunk, std::span<const float> floats);

}  // namespace ringside::lessons
