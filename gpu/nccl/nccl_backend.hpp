#pragma once

#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace ringside {

struct NcclOptions {
  std::vector<int> devices{};  ///< as CUDA numbers them; empty: all that this process sees
};

/// NCCL on this machine's GPUs: each rank has a device of its own. Executors:
///   grouped  any schedule, as groups of ncclSend and ncclRecv with kernels between them
///   native   NCCL's own collective, as a yardstick
/// Errors (ErrorKind::machine): no driver, no device, one that cannot be used; or (request) a
/// device that is not there.
Result<std::unique_ptr<Backend>> make_nccl_backend(const NcclOptions& options);

}  // namespace ringside
