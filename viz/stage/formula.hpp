#pragma once

#include <optional>

#include "viz/stage/staged_run.hpp"

namespace ringside::stage {

/// A run's time by its algorithm's predict(), written out: `latencies` x L + `sizes` x S / B
/// (Hockney's alpha-beta model), where L and B are of the worst route that the run takes.
struct Formula {
  double latencies = 0, sizes = 0;
  LinkCost cost{};
  Bytes size{};
  Duration predicted{};
  bool is_exact = false;  ///< the clock says the same, to the picosecond
};

/// Nothing for a measured or broken run, for one without messages between ranks, and where time is
/// not of that form.
std::optional<Formula> formula_of(const StagedRun& run);

}  // namespace ringside::stage
