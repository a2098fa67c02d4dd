#include <cuda/atomic>

#include "gpu/cuda/cpu_kernels.hpp"
#include "gpu/cuda/interpreter/cpu_blocks.hpp"
#include "gpu/cuda/interpreter/launch.hpp"
#include "gpu/cuda/interpreter/protocol.hpp"

namespace ringside::cuda::interpreter {
namespace {

__device__ std::uint64_t device_clock() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// One thread of a thread block on a GPU.
class DeviceBlock {
 public:
  __device__ explicit DeviceBlock(Places& places) : places_(places) {}

  __device__ std::uint32_t thread() const { return threadIdx.x; }
  __device__ std::uint32_t threads() const { return blockDim.x; }
  __device__ Places& places() const { return places_; }
  __device__ void barrier() const { __syncthreads(); }
  __device__ bool any(bool said) const { return __syncthreads_or(said) != 0; }

  __device__ static Flag load(const Flag* flag) {
    return at(flag).load(::cuda::memory_order_relaxed);
  }
  __device__ static Flag load_acquire(const Flag* flag) {
    return at(flag).load(::cuda::memory_order_acquire);
  }
  __device__ static void store(Flag* flag, Flag value) {
    at(flag).store(value, ::cuda::memory_order_relaxed);
  }
  __device__ static void store_release(Flag* flag, Flag value) {
    at(flag).store(value, ::cuda::memory_order_release);
  }
  __device__ static bool is_set(const std::uint32_t* word) {
    return at(word).load(::cuda::memory_order_relaxed) != 0;
  }
  __device__ static void set(std::uint32_t* word) {
    at(word).store(1, ::cuda::memory_order_relaxed);
  }
  __device__ static std::uint64_t now() { return device_clock(); }
  /// Who waits long leaves the multiprocessor to others.
  __device__ static void pause(std::uint32_t looks) {
    if (looks > 64) __nanosleep(looks < 4096 ? 20 : 200);
  }

 private:
  template <typename Word>
  __device__ static ::cuda::atomic_ref<Word, ::cuda::thread_scope_system> at(const Word* word) {
    return ::cuda::atomic_ref<Word, ::cuda::thread_scope_system>(*const_cast<Word*>(word));
  }
  Places& places_;
};

/// So few registers that any --threads fits, and two blocks of 512 a multiprocessor: one works
/// while the other waits.
template <ElementType type>
__global__ void __launch_bounds__(1024) interpret(const __grid_constant__ Job job) {
  __shared__ Places places;
  DeviceBlock block(places);
  Interpreter<type, DeviceBlock>(job, job.tasks[blockIdx.x], block).run();
}

__global__ void read_clock(std::uint64_t* now) {
  *now = device_clock();
}

using Kernel = void (*)(Job);
constexpr Kernel kernels[element_type_count] = {
    interpret<ElementType::int8>,    interpret<ElementType::uint8>,
    interpret<ElementType::int32>,   interpret<ElementType::uint32>,
    interpret<ElementType::int64>,   interpret<ElementType::uint64>,
    interpret<ElementType::float16>, interpret<ElementType::bfloat16>,
    interpret<ElementType::float32>, interpret<ElementType::float64>,
    interpret<ElementType::f8e4m3>,  interpret<ElementType::f8e5m2>};

const void* stub(ElementType type) {
  return reinterpret_cast<const void*>(kernels[static_cast<std::size_t>(type)]);
}

template <ElementType type>
void on_cpu(const Job& job, dim3, dim3) {
  run_on_cpu(type, job);
}

void clock_on_cpu(std::uint64_t* const& now, dim3, dim3) {
  *now = CpuBlock::now();
}

template <ElementType type>
CpuKernel entry() {
  return cpu_kernel<Job, on_cpu<type>>(kernels[static_cast<std::size_t>(type)]);
}

}  // namespace

extern const CpuKernel interpreter_kernels[] = {
    entry<ElementType::int8>(),
    entry<ElementType::uint8>(),
    entry<ElementType::int32>(),
    entry<ElementType::uint32>(),
    entry<ElementType::int64>(),
    entry<ElementType::uint64>(),
    entry<ElementType::float16>(),
    entry<ElementType::bfloat16>(),
    entry<ElementType::float32>(),
    entry<ElementType::float64>(),
    entry<ElementType::f8e4m3>(),
    entry<ElementType::f8e5m2>(),
    cpu_kernel<std::uint64_t*, clock_on_cpu>(read_clock),
    {}};

cudaError_t launch(ElementType type, const Job& job, std::uint32_t threads, cudaStream_t stream) {
  Job argument = job;
  void* arguments[] = {&argument};
  return cudaLaunchCooperativeKernel(stub(type), dim3(job.task_count), dim3(threads), arguments, 0,
                                     stream);
}

cudaError_t blocks_a_multiprocessor(ElementType type, std::uint32_t threads, int& blocks) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub(type),
                                                       static_cast<int>(threads), 0);
}

cudaError_t launch_clock(std::uint64_t* now, cudaStream_t stream) {
  read_clock<<<1, 1, 0, stream>>>(now);
  return cudaGetLastError();
}

}  // namespace ringside::cuda::interpreter
