#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viz/stage/action.hpp"
#include "viz/stage/staged_run.hpp"

namespace ringside::stage {

/// The backend that a command runs things on; empty: it does nothing of the kind.
std::string_view backend_of(Command command);

/// What `ringside` is told so that a run is done for real on that backend of this machine, and
/// recorded in the file `trace`. Errors: it is broken on purpose, or of no algorithm that this
/// version knows.
Result<std::vector<std::string>> arguments_to_run_here(const StagedRun& run,
                                                       std::string_view backend,
                                                       const std::string& trace);

}  // namespace ringside::stage
