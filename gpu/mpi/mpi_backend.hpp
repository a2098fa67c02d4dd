#pragma once

#include <memory>
#include <string_view>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace ringside {

/// The processes that mpirun or srun started, one rank each; one rank where nobody did. Initialises
/// MPI when it is first made. Executors:
///   messages  any schedule, over MPI's messages, each rank knowing only its own transfers; the
///             only one that keeps a trace, and the choice unless another is asked for
///   window    no schedule: what the collective defines, through memory that all ranks see, where
///             they are on one machine
///   direct    no schedule, as the host backend's: every process reads and writes all ranks'
///   buffers,
///             on one machine and where Backend::memory() gave them
///   sliced    the same with a schedule, a slice of it at a time
///   native    MPI's own collective, as a yardstick
/// No wait for another process lasts longer than `timeout`, or, once runs have begun, than theirs.
/// Error: MPI cannot be used on this machine.
Result<std::unique_ptr<Backend>> make_mpi_backend(Duration timeout = RunOptions{}.timeout);

namespace mpi {

/// Whether this process initialised MPI: then it must leave() it.
bool has_joined();
/// Whether this process writes the results: the first one, and every one that has not joined.
bool is_first();
/// How many processes have joined: 1 if this one has not.
std::uint32_t processes();
/// The last thing that a process which has joined does: all learn the worst exit status, which is
/// returned, and the first process says the first complaint that is not empty on standard error.
int leave(int status, std::string_view complaint);

}  // namespace mpi
}  // namespace ringside
