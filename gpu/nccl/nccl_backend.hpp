#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace ringside {

struct NcclOptions {
  std::vector<int> devices{};  ///< as CUDA numbers them; empty: all that this process sees
  std::string id_file{};       ///< where processes meet that no MPI joins; empty: nowhere
  /// No wait for another process lasts longer, or, once runs have begun, than theirs.
  Duration timeout = RunOptions{}.timeout;
};

/// NCCL on GPUs, one for each rank: all ranks in this process, or, where a launcher started
/// several, one rank a process, on its machine's GPU of the same number. Executors:
///   grouped  any schedule, as groups of ncclSend and ncclRecv with kernels between them
///   native   NCCL's own collective, as a yardstick
/// Errors (ErrorKind::machine): no driver, no device, one that cannot be used, two processes on
/// one; or (request) a device that is not there, processes that have no way to meet.
Result<std::unique_ptr<Backend>> make_nccl_backend(const NcclOptions& options);

}  // namespace ringside
