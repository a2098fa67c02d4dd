#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "gpu/host/slice_plan.hpp"
#include "gpu/mpi/shared_memory.hpp"
#include "gpu/mpi/world.hpp"

namespace ringside::mpi {

struct Tampering;

/// What executors direct and sliced do in a run: all processes the same plan, and each of these in
/// this order.
struct SliceJob {
  enum class Phase : std::uint8_t {
    meet,
    fresh_counter,  ///< the one that the slices of this run are shared out from
    share_out,      ///< and done
    dawdle,         ///< as one whom the others overtake: tests ask for it
  };
  host::SlicePlan plan;
  std::vector<Phase> phases{Phase::meet, Phase::fresh_counter, Phase::share_out, Phase::meet};
};

/// Executors mpi/direct and mpi/sliced: what the host backend's threads do, done by processes. Each
/// maps all ranks' buffers, which must come from `memory`, and all share out the slices of one
/// plan: without a schedule (direct), or that of `work`. All processes call it alike.
struct SharedSlicesRequest {
  const SharedMemory& memory;
  const Work& work;
  const Memory& buffers;  ///< this process's
  const RunOptions& options;
  const Tampering& tampering;
};
Result<std::unique_ptr<Prepared>> make_shared_slices(World& world,
                                                     const SharedSlicesRequest& request);

}  // namespace ringside::mpi
