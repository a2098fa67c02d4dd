#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/mpi/local_plan.hpp"
#include "gpu/mpi/world.hpp"

namespace ringside::mpi {

/// This rank's share of any schedule, over MPI's messages. Every rank runs at its own pace: a
/// transfer is sent when what it waits for on this rank has happened and its connection has sent
/// those told before it. Throws std::bad_alloc.
std::unique_ptr<Prepared> make_messages(World& world, const Work& work,
                                        const Memory::RankBuffers& buffers,
                                        const RunOptions& options, LocalPlan plan);

}  // namespace ringside::mpi
