#pragma once

#include <string>

#include "viz/scenario/contest.hpp"

namespace ringside::terminal {

/// Fills in where the time of a run went: run.row.time_shares and critical_path.
Result<void> explain(scenario::Contest::Run& run, const scenario::Machine& machine);

/// The same for people: shares first, then the path (long ones cut in the middle, said). Lines
/// start with `#`.
std::string draw_explanation(const Row& row);

}  // namespace ringside::terminal
