#pragma once

#include <string>

namespace ringside::mpi {

/// Under mpirun, with at least three ranks: makes each mistake that processes could make which
/// share out slices (executor direct or sliced), and none, one after the other. Says on rank 0
/// which were found: `counter_not_reset: found`. Exit status 1 if one was not, or right ones were.
int report_slice_mistakes(const std::string& executor);

}  // namespace ringside::mpi
