#pragma once

#include <string>

#include "viz/terminal/contest.hpp"

namespace ringside::terminal {

/// Where the time of one run goes: totals by kind, which add up to the time exactly, then the
/// critical path transfer by transfer (long paths in the middle cut, said). Lines start with `#`.
Result<std::string> explain(const Contest::Run& run, const Machine& machine);

}  // namespace ringside::terminal
