#pragma once

#include <span>
#include <vector>

#include "core/result.hpp"
#include "core/schedule.hpp"
#include "core/trace.hpp"

namespace ringside {

// A library's own collective, of which no more is known than when each rank's call began and ended:
// drawn as if all ranks gave what they have to a hub and got from it what they need.

/// That schedule: the hub is its one agent. It is proven like any other.
Result<Schedule> seen_from_outside(const CollectiveSpec& spec);
/// By its transfers. `calls` by rank: only begin and commit count. What a rank gives takes until
/// the last call has begun, what it gets until its own call ends.
std::vector<Span> spans_from_outside(const Schedule& schedule, std::span<const Span> calls);

}  // namespace ringside
