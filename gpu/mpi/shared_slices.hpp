#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/mpi/shared_memory.hpp"
#include "gpu/mpi/world.hpp"

namespace ringside::mpi {

/// Executors mpi/direct and mpi/sliced: what the host backend's threads do, done by processes. Each
/// maps all ranks' buffers, which must come from `memory`, and all share out the slices of one
/// plan: without a schedule (direct), or that of `work`. All processes call it alike.
Result<std::unique_ptr<Prepared>> make_shared_slices(World& world, const SharedMemory& memory,
                                                     const Work& work, const Memory& buffers,
                                                     const RunOptions& options);

}  // namespace ringside::mpi
