// Kernels: registration by nvcc's code, launches, occupancy. What a launch runs is the CPU function
// that the program's own table names for it.

#include <dlfcn.h>

#include <array>
#include <cstring>

#include "gpu/cuda/cpu_kernels.hpp"
#include "tests/fake_cuda/access.hpp"

struct CUkern_st {
  const void* stub;
};

namespace {

using fake::call;
using fake::Manner;
using fake::World;
using Lock = std::unique_lock<std::mutex>;
using ringside::cuda::CpuKernel;

/// Names for complaints, by stub; they live as long as the program.
std::map<const void*, std::string>& kernel_names() {
  static std::map<const void*, std::string> names;
  return names;
}

const CpuKernel* find_kernel(const void* stub) {
  const auto* table =
      static_cast<const CpuKernel* const*>(dlsym(RTLD_DEFAULT, "ringside_cpu_kernels"));
  for (; table != nullptr && *table != nullptr; ++table)
    for (const CpuKernel* kernel = *table; kernel->stub != nullptr; ++kernel)
      if (kernel->stub == stub) return kernel;
  return nullptr;
}

struct Launch {
  const void* stub;
  dim3 grid, block;
  void** arguments;
  bool cooperative;
};

int blocks_a_multiprocessor(int threads) {
  if (threads < 1 || threads > 1024) return 0;
  return std::min(2048 / ((threads + 31) / 32 * 32), 32);
}

cudaError_t check_size(const World& world, const Launch& launch) {
  const auto threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  const auto blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  if (threads < 1 || threads > 1024 || blocks < 1) return cudaErrorInvalidConfiguration;
  if (!launch.cooperative) return cudaSuccess;
  if (!world.config.cooperative) return cudaErrorNotSupported;
  const auto most = static_cast<std::uint64_t>(blocks_a_multiprocessor(static_cast<int>(threads))) *
                    static_cast<std::uint64_t>(world.config.multiprocessors);
  return blocks > most ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

std::vector<fake::Touch> touches_of(const CpuKernel& kernel, const void* argument) {
  std::vector<fake::Touch> all;
  if (kernel.ranges != nullptr)
    kernel.ranges(
        argument, &all, [](void* listener, const void* at, std::size_t bytes, bool written) {
          static_cast<std::vector<fake::Touch>*>(listener)->push_back({at, bytes, written});
        });
  return all;
}

cudaError_t check_touches(World& world, int device, const std::vector<fake::Touch>& touches) {
  for (const auto& touch : touches)
    if (const auto code = check_touch(world, device, touch, fake::Toucher::kernel);
        code != cudaSuccess)
      return code;
  return cudaSuccess;
}

/// Runs the whole grid's work. Of a kernel in the background nothing but its own work may touch the
/// world: nobody holds the lock for it.
std::function<cudaError_t()> work_of(World& world, int device, const CpuKernel& kernel,
                                     const Launch& launch) {
  const auto* const first = static_cast<const std::byte*>(launch.arguments[0]);
  const auto argument =
      std::make_shared<std::vector<std::byte>>(first, first + kernel.argument_bytes);
  const dim3 grid = launch.grid, block = launch.block;
  if (launch.cooperative && world.config.peers == fake::Peers::deaf &&
      leave_the_device(world, device, touches_of(kernel, argument->data())))
    return [] { return cudaSuccess; };  // it has given up
  if (launch.cooperative)
    return [&kernel, argument, grid, block] {
      kernel.run(argument->data(), grid, block);
      return cudaSuccess;
    };
  return [&world, device, &kernel, argument, grid, block] {
    const auto touches = touches_of(kernel, argument->data());
    const auto code = check_touches(world, device, touches);
    if (code != cudaSuccess) return code;
    if (++world.kernels == world.config.fault) return world.sticky = cudaErrorIllegalAddress;
    kernel.run(argument->data(), grid, block);
    spoil_if_broken(world, device, touches);
    return cudaSuccess;
  };
}

cudaError_t launch(World& world, const Launch& launch, cudaStream_t stream) {
  if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
  if (stream->device != fake::current_device())
    return world.violation("launches a kernel on a stream of another device",
                           cudaErrorInvalidResourceHandle);
  const CpuKernel* const kernel = find_kernel(launch.stub);
  if (kernel == nullptr)
    return world.violation("launches kernel " + kernel_names()[launch.stub] +
                               ", for which no table names a CPU function",
                           cudaErrorInvalidDeviceFunction);
  if (const auto code = check_size(world, launch); code != cudaSuccess) return code;
  const auto touches = touches_of(*kernel, launch.arguments[0]);
  if (const auto code = check_touches(world, stream->device, touches); code != cudaSuccess)
    return code;
  fake::Task task;
  task.in_background = launch.cooperative;
  task.cost = 2'000'000;
  for (const auto& touch : touches) task.cost += cost_of(world, stream->device, touch);
  task.work = work_of(world, stream->device, *kernel, launch);
  if (launch.cooperative && ++world.kernels == world.config.fault)
    task.work = [&world] { return world.sticky = cudaErrorIllegalAddress; };
  return submit(world, stream, std::move(task));
}

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

}  // namespace

// Names and parameters are CUDA's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-function-size)
extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 0;
}
void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  kernel_names()[stub] = name;
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     cudaStream_t stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorInvalidConfiguration;
  *grid = configurations.back().grid;
  *block = configurations.back().block;
  *shared = configurations.back().shared;
  *static_cast<cudaStream_t*>(stream) = configurations.back().stream;
  configurations.pop_back();
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  static std::map<const void*, CUkern_st> kernels;
  const std::lock_guard lock(fake::world_mutex());
  *kernel = &kernels.try_emplace(stub, CUkern_st{stub}).first->second;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t, cudaStream_t stream) {
  return call("cudaLaunchKernel", Manner::usual, [&](World& world, Lock&) {
    return launch(world, {kernel->stub, grid, block, arguments, false}, stream);
  });
}
cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t,
                             cudaStream_t stream) {
  return call("cudaLaunchKernel", Manner::usual, [&](World& world, Lock&) {
    return launch(world, {stub, grid, block, arguments, false}, stream);
  });
}
cudaError_t cudaLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                        std::size_t, cudaStream_t stream) {
  return call("cudaLaunchCooperativeKernel", Manner::usual, [&](World& world, Lock&) {
    return launch(world, {stub, grid, block, arguments, true}, stream);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*,
                                                                   int threads, std::size_t,
                                                                   unsigned) {
  return call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", Manner::usual,
              [&](World&, Lock&) {
                *blocks = blocks_a_multiprocessor(threads);
                return cudaSuccess;
              });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          std::size_t) {
  return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", Manner::usual, [&](World&, Lock&) {
    *blocks = blocks_a_multiprocessor(threads);
    return cudaSuccess;
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
  return call("cudaFuncGetAttributes", Manner::usual, [&](World& world, Lock&) {
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    return find_kernel(stub) == nullptr
               ? world.violation("asks about a kernel without a CPU function",
                                 cudaErrorInvalidDeviceFunction)
               : cudaSuccess;
  });
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return call("cudaFuncSetAttribute", Manner::usual, [](World&, Lock&) { return cudaSuccess; });
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-function-size)
