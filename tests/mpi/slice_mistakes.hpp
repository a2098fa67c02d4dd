#pragma once

#include <string>

namespace ringside::mpi {

/// As report_hunt(), of the mistakes that processes could make which share out slices (executor
/// direct or sliced). Under mpirun, with at least three ranks.
int report_slice_mistakes(const std::string& executor);

}  // namespace ringside::mpi
