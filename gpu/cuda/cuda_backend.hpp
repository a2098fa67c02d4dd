#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace ringside {

struct CudaOptions {
  std::vector<int> devices{};  ///< as CUDA numbers them; empty: all that this process sees
  std::uint32_t ctas = 0;      ///< kernel: thread blocks a rank; 0: its choice
  std::uint32_t threads = 0;   ///< kernel: threads a block; 0: its choice
};

/// The GPUs of this machine, driven by this process. Where there are more ranks than devices,
/// consecutive ranks share one and are called virtual: what is measured then is memory, no link.
/// Executors:
///   streams  a stream for each rank and channel, everything enqueued up front
///   graph    the same as one CUDA graph, launched again each iteration
///   kernel   one cooperative kernel a device interprets the schedule
/// Errors (ErrorKind::machine): no driver, no device, one that cannot be used; or (request) a
/// device that is not there.
Result<std::unique_ptr<Backend>> make_cuda_backend(const CudaOptions& options);

}  // namespace ringside
