#include "gpu/cuda/cpu_kernels.hpp"
#include "gpu/cuda/peer_kernels.hpp"
#include "gpu/cuda/releases.hpp"
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

RS_HOST_DEVICE void release(std::uint64_t* flag, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(flag), "l"(value) : "memory");
#else
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
  releases.add_one();
#endif
}

/// A look at a flag that is to become `wanted`.
RS_HOST_DEVICE std::uint64_t acquire(const std::uint64_t* flag,
                                     [[maybe_unused]] std::uint64_t wanted) {
  std::uint64_t value = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(flag) : "memory");
#else
  const auto released = releases.count();
  value = __atomic_load_n(flag, __ATOMIC_ACQUIRE);
  if (value < wanted) releases.wait_for_more_than(released);
#endif
  return value;
}

/// One side of the game; gives up after so many looks at its flag.
RS_HOST_DEVICE void play(const PingPongTask& task) {
  constexpr std::uint32_t most_looks = 1u << 22;
  constexpr std::uint32_t data = mailbox_bytes / 2 / sizeof(std::uint64_t);
  const auto send = [&](std::uint32_t round) {
    *static_cast<volatile std::uint64_t*>(task.theirs + data) = pattern(round, task.rounds);
    release(task.theirs, round);
  };
  volatile std::uint32_t* const outcome = task.outcome;
  std::uint32_t looks = 0;
  for (std::uint32_t round = 1; round <= task.rounds; ++round) {
    if (task.begins) send(round);
    while (acquire(task.mine, round) < round)
      if (++looks == most_looks || (looks % 64 == 0 && *outcome == PingPongTask::give_up)) return;
    const auto came = *static_cast<const volatile std::uint64_t*>(task.mine + data);
    if (came != pattern(round, task.rounds)) return;
    if (!task.begins) send(round);
  }
  *outcome = PingPongTask::succeeded;
}

constexpr std::uint32_t blocks = 4, threads = 256;

__global__ void write_pattern(PatternTask task) {
  write_share(task, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
  __threadfence_system();
}
__global__ void compare_pattern(PatternTask task) {
  compare_share(task, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

__global__ void ping_pong(PingPongTask task) {
  play(task);
}

// The same on a CPU.

/// Threads hand over so slowly that one round must do.
void ping_pong_on_cpu(const PingPongTask& task, dim3, dim3) {
  PingPongTask once = task;
  once.rounds = 1;
  play(once);
}

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
void mailboxes(const PingPongTask& task, void* listener, TellRange tell) {
  for (const std::uint64_t* const mailbox : {task.mine, task.theirs})
    tell(listener, mailbox, mailbox_bytes, true);
}

}  // namespace

extern const CpuKernel peer_kernels[] = {
    cpu_kernel<PatternTask, write_on_cpu, ranges<true>>(write_pattern),
    cpu_kernel<PatternTask, compare_on_cpu, ranges<false>>(compare_pattern),
    cpu_kernel<PingPongTask, ping_pong_on_cpu, mailboxes>(ping_pong),
    {}};

cudaError_t launch_write_pattern(const PatternTask& task, cudaStream_t stream) {
  write_pattern<<<blocks, threads, 0, stream>>>(task);
  return cudaGetLastError();
}

cudaError_t launch_compare_pattern(const PatternTask& task, cudaStream_t stream) {
  compare_pattern<<<blocks, threads, 0, stream>>>(task);
  return cudaGetLastError();
}

cudaError_t launch_ping_pong(PingPongTask task, cudaStream_t stream) {
  void* arguments[] = {&task};
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(ping_pong), dim3(1), dim3(1),
                                     arguments, 0, stream);
}

}  // namespace ringside::cuda
