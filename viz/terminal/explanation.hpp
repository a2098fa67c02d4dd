#pragma once

#include <string>

#include "viz/scenario/contest.hpp"

namespace ringside::terminal {

/// Fills in where the time of a run went, run.row.time_shares and critical_path, and says the same
/// for people: shares first, then the path, where what repeats is said once (and of many different
/// transfers the middle is only counted). The times down either list add up to the run's exactly.
/// Lines start with `#`.
Result<std::string> explain(scenario::Contest::Run& run, const scenario::Machine& machine);

}  // namespace ringside::terminal
