#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/host/crew.hpp"
#include "gpu/host/rank_plan.hpp"
#include "gpu/host/slice_plan.hpp"

namespace ringside::host {

/// How a plan is run, and by whom.
struct Execution {
  RunOptions options;          ///< its executor is named
  std::shared_ptr<Crew> crew;  ///< as many as the plan has participants
};

/// Runs a plan slice by slice. Work and memory outlive what comes back.
std::unique_ptr<Prepared> prepare_slices(const Work& work, SlicePlan plan, Execution how);
/// Runs a plan rank by rank.
std::unique_ptr<Prepared> prepare_ranks(const Work& work, const Memory& memory, RankPlan plan,
                                        Execution how);

}  // namespace ringside::host
