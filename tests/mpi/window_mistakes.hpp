#pragma once

namespace ringside::mpi {

/// As report_hunt(), of the mistakes that executor window could make. Under mpirun, with at least
/// three ranks.
int report_window_mistakes();

}  // namespace ringside::mpi
