#pragma once

#include <cuda_runtime_api.h>

#include "gpu/cuda/element_loops.hpp"

namespace ringside::cuda {

/// At most so many blocks of so many threads: enough to keep a device's memory busy.
struct GridLimit {
  std::uint32_t blocks = 256, threads = 512;
};

// Each enqueues one kernel on `stream` of the current device and returns what the launch said;
// nothing to do enqueues nothing. All places are memory that the device can reach.

cudaError_t launch_copy(const CopyTask& task, GridLimit limit, cudaStream_t stream);
cudaError_t launch_elements(ElementType type, const ElementTask& task, GridLimit limit,
                            cudaStream_t stream);

}  // namespace ringside::cuda
