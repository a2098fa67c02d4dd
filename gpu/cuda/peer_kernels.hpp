#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace ringside::cuda {

/// Numbers that look random and depend on place and seed.
struct PatternTask {
  std::uint32_t* at = nullptr;
  std::uint32_t words = 0, seed = 0;
  std::uint32_t* is_wrong = nullptr;  ///< compare: set to 1 where a word is another one
};

// Each enqueues one kernel on `stream` of the current device.

cudaError_t launch_write_pattern(const PatternTask& task, cudaStream_t stream);
cudaError_t launch_compare_pattern(const PatternTask& task, cudaStream_t stream);

}  // namespace ringside::cuda
