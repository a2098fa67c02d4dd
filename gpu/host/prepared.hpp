#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/host/rank_plan.hpp"
#include "gpu/host/slice_plan.hpp"

namespace ringside::host {

/// Runs a plan: `name` is its executor's. Work and memory outlive what comes back.
Result<std::unique_ptr<Prepared>> prepare_slices(const Work& work, SlicePlan plan,
                                                 const RunOptions& options, std::string name);
/// Runs a plan rank by rank.
Result<std::unique_ptr<Prepared>> prepare_ranks(const Work& work, const Memory& memory,
                                                RankPlan plan, const RunOptions& options);

}  // namespace ringside::host
