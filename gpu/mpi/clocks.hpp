#pragma once

#include "core/result.hpp"
#include "core/units.hpp"
#include "gpu/mpi/world.hpp"

namespace ringside::mpi {

/// How this process's steady clock stands to the first one's: theirs = mine + offset, give or take
/// `error`. From the quickest of many answers: Cristian, "Probabilistic clock synchronization",
/// Distributed Computing 3, 1989.
struct ClockOffset {
  Duration offset{}, error{};
};
/// Every process calls this at the same time.
Result<ClockOffset> clock_offset(World& world, Duration timeout);

/// Now, by this process's steady clock.
TimePoint clock_now();

}  // namespace ringside::mpi
