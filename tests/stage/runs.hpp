#pragma once

#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/trace.hpp"
#include "core/variants.hpp"

// Schedules to look at, for the tests of the stage.

namespace ringside::stage {

struct Told {
  std::string name;
  Schedule schedule;
};

/// Every algorithm with its default options on `least` .. `most` ranks, every root that matters, in
/// place and not.
inline std::vector<Told> all_told(std::uint32_t least, std::uint32_t most) {
  std::vector<Told> all;
  for (const Algorithm& algorithm : all_algorithms())
    for (std::uint32_t n = least; n <= most; ++n)
      for (const auto& spec : specs_that_matter(algorithm.collective, n))
        if (const auto plan = make_plan(algorithm, spec, {}))
          all.push_back({std::string(name(spec.kind)) + " " + std::string(algorithm.name) + " on " +
                             std::to_string(n) + (spec.in_place ? " in place" : "") + ", root " +
                             std::to_string(spec.root.value),
                         *build_schedule(*plan)});
  return all;
}

/// Every transfer of step s on its way from s to s + 1 microseconds.
inline std::vector<Span> step_by_step(const Schedule& schedule) {
  std::vector<Span> spans;
  for (TransferId id{0}; id.value < schedule.transfers().size(); ++id.value) {
    const TimePoint begin = microseconds(schedule.step(id).value), end = begin + microseconds(1);
    spans.push_back({begin, begin, end, end, end});
  }
  return spans;
}

inline std::vector<Slot> slots_of(const Schedule& schedule) {
  std::vector<Slot> slots;
  for (std::uint32_t r = 0; r < schedule.participants(); ++r) {
    for (std::uint32_t c = 0; c < schedule.chunks(); ++c) {
      slots.push_back(input(r, c));
      slots.push_back(output(r, c));
    }
    for (std::uint32_t x = 0; x < schedule.scratch_chunks(); ++x) slots.push_back(scratch(r, x));
  }
  return slots;
}

}  // namespace ringside::stage
