#include "gpu/cuda/cpu_kernels.hpp"
#include "gpu/cuda/peer_kernels.hpp"
#include "gpu/host/host_device.hpp"

namespace ringside::cuda {
namespace {

RS_HOST_DEVICE std::uint32_t pattern(std::uint32_t place, std::uint32_t seed) {
  std::uint32_t x = place * 0x9e3779b9u + seed;
  x = (x ^ x >> 16) * 0x85ebca6bu;
  return x ^ x >> 13;
}

RS_HOST_DEVICE void write_share(const PatternTask& task, std::uint32_t first,
                                std::uint32_t stride) {
  volatile std::uint32_t* const at = task.at;
  for (auto i = first; i < task.words; i += stride) at[i] = pattern(i, task.seed);
}

/// Loads are volatile: none is served from what a cache kept of an earlier round.
RS_HOST_DEVICE void compare_share(const PatternTask& task, std::uint32_t first,
                                  std::uint32_t stride) {
  const volatile std::uint32_t* const at = task.at;
  for (auto i = first; i < task.words; i += stride)
    if (at[i] != pattern(i, task.seed)) *task.is_wrong = 1;
}

constexpr std::uint32_t blocks = 4, threads = 256;

__global__ void write_pattern(PatternTask task) {
  write_share(task, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
  __threadfence_system();
}
__global__ void compare_pattern(PatternTask task) {
  compare_share(task, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

// The same on a CPU.

void write_on_cpu(const PatternTask& task, dim3, dim3) {
  write_share(task, 0, 1);
}
void compare_on_cpu(const PatternTask& task, dim3, dim3) {
  compare_share(task, 0, 1);
}
template <bool writes>
void ranges(const PatternTask& task, void* listener, TellRange tell) {
  tell(listener, task.at, task.words * sizeof(std::uint32_t), writes);
  if (!writes) tell(listener, task.is_wrong, sizeof(std::uint32_t), true);
}

}  // namespace

extern const CpuKernel peer_kernels[] = {
    cpu_kernel<PatternTask, write_on_cpu, ranges<true>>(write_pattern),
    cpu_kernel<PatternTask, compare_on_cpu, ranges<false>>(compare_pattern),
    {}};

cudaError_t launch_write_pattern(const PatternTask& task, cudaStream_t stream) {
  write_pattern<<<blocks, threads, 0, stream>>>(task);
  return cudaGetLastError();
}

cudaError_t launch_compare_pattern(const PatternTask& task, cudaStream_t stream) {
  compare_pattern<<<blocks, threads, 0, stream>>>(task);
  return cudaGetLastError();
}

}  // namespace ringside::cuda
