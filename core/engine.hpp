#pragma once

#include "core/algorithm.hpp"
#include "core/schedule.hpp"

namespace ringside {

/// One algorithm applied to one spec: what a result row names.
struct Plan {
  const Algorithm* algorithm = nullptr;
  CollectiveSpec spec;
  Options options;  ///< complete
};

/// Checks the spec, fills in the options and asks the algorithm whether it can.
Result<Plan> make_plan(const Algorithm& algorithm, const CollectiveSpec& spec,
                       const Options& given);

/// Tells the story into a stored schedule. The schedule is what the algorithm said, not yet proven.
Result<Schedule> build_schedule(const Plan& plan);

}  // namespace ringside
