#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/mpi/world.hpp"

namespace ringside::mpi {

/// Executor mpi/window: what the collective defines, without a schedule, through memory that all
/// ranks of one machine see. Slice after slice, small enough to stay in a cache: each rank lays its
/// slice there, adds its share of all ranks', and takes what it was promised.
Result<std::unique_ptr<Prepared>> make_window(World& world, const Work& work,
                                              const Memory::RankBuffers& buffers,
                                              const RunOptions& options);

}  // namespace ringside::mpi
