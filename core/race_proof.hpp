#pragma once

#include <vector>

#include "core/verifier.hpp"

namespace ringside {

/// The second half of verify(): any two accesses of a slot of which one writes, and whose order the
/// rule of the step fixes, must be ordered by the dependencies. It is enough to check each access
/// against the last write before it and, for writes, the uses since: the rest follows step by step.
/// Derives those pairs on its own rather than trusting the builder. At most `limit`, by transfer.
std::vector<Violation> prove_no_race(const Schedule& schedule, std::size_t limit);

}  // namespace ringside
