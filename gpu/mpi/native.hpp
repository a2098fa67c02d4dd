#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/mpi/world.hpp"

namespace ringside::mpi {

/// Executor mpi/native: MPI's own collective, as a yardstick. Ringside's schedule is not run. An
/// error where MPI has no such type or op, or counts no so many elements.
Result<void> check_native(const Work& work);
std::unique_ptr<Prepared> make_native(World& world, const Work& work,
                                      const Memory::RankBuffers& buffers,
                                      const RunOptions& options);

}  // namespace ringside::mpi
