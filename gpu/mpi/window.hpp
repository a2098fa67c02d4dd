#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/mpi/window_plan.hpp"
#include "gpu/mpi/world.hpp"

namespace ringside::mpi {

/// Executor mpi/window: what the collective defines, without a schedule, through memory that all
/// ranks of one machine see: each lays its slice there, adds its share of all ranks', and takes
/// what it was promised.
struct WindowRequest {
  const Work& work;
  const Memory::RankBuffers& buffers;
  const RunOptions& options;
};
Result<std::unique_ptr<Prepared>> make_window(World& world, const WindowRequest& request,
                                              WindowPlan plan);

}  // namespace ringside::mpi
