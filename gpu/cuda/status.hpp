#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "core/result.hpp"

namespace ringside::cuda {

/// The sentence for what a call of the CUDA runtime returned: what could not be done, on which
/// device (negative: none in particular), why, and what to do about it. `doing` completes "could
/// not ...": "allocate 1 GiB". ErrorKind::machine where the machine lacks something (driver,
/// device, memory, peer access), else wrong.
Result<void> check(cudaError_t code, std::string_view doing, int device = -1);

/// Makes `device` the calling thread's current one.
Result<void> select(int device);

}  // namespace ringside::cuda
