#pragma once

#include <cuda_runtime_api.h>

#include "gpu/cuda/interpreter/job.hpp"

namespace ringside::cuda::interpreter {

/// Enqueues the interpreter on `stream` of the current device: all its thread blocks at once, or an
/// error. `job` lies in host memory, what it points to where the device reaches it.
cudaError_t launch(ElementType type, const Job& job, std::uint32_t threads, cudaStream_t stream);

/// How many thread blocks of so many threads one multiprocessor of the current device holds.
cudaError_t blocks_a_multiprocessor(ElementType type, std::uint32_t threads, int& blocks);

/// Enqueues a kernel that writes the device's clock, in the nanoseconds of Stamp.
cudaError_t launch_clock(std::uint64_t* now, cudaStream_t stream);

}  // namespace ringside::cuda::interpreter
