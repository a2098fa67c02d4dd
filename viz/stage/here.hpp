#pragma once

#include <string>
#include <vector>

#include "viz/stage/staged_run.hpp"

namespace ringside::stage {

/// What `ringside` is told so that a run is done for real by threads of this machine, and recorded
/// in the file `trace`. Errors: it is broken on purpose, or of no algorithm that this version
/// knows.
Result<std::vector<std::string>> arguments_to_run_here(const StagedRun& run,
                                                       const std::string& trace);

}  // namespace ringside::stage
