#pragma once

#include "viz/stage/staged_run.hpp"

// What staging a run is made of; for those who stage.

namespace ringside::stage::detail {

/// Takes the schedule: its proof and its story. Error: more transfers than can be watched.
Result<void> tell(StagedRun& run, std::shared_ptr<const Schedule> schedule);
/// Routes of all transfers over run.topology.
Result<void> find_routes(StagedRun& run);
/// Sizes of all transfers, from run.payload.
void weigh(StagedRun& run);

}  // namespace ringside::stage::detail
