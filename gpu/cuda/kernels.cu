#include "gpu/cuda/cpu_kernels.hpp"
#include "gpu/cuda/kernels.hpp"

namespace ringside::cuda {
namespace {

__device__ Worker this_thread() {
  return {std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
          std::uint64_t{gridDim.x} * blockDim.x};
}

__global__ void copy_kernel(CopyTask task) {
  copy_share(task, this_thread());
}

template <ElementType type>
__global__ void element_kernel(ElementTask task) {
  element_share<type>(task, this_thread());
}

using ElementKernel = void (*)(ElementTask);
constexpr ElementKernel element_kernels[element_type_count] = {
    element_kernel<ElementType::int8>,    element_kernel<ElementType::uint8>,
    element_kernel<ElementType::int32>,   element_kernel<ElementType::uint32>,
    element_kernel<ElementType::int64>,   element_kernel<ElementType::uint64>,
    element_kernel<ElementType::float16>, element_kernel<ElementType::bfloat16>,
    element_kernel<ElementType::float32>, element_kernel<ElementType::float64>,
    element_kernel<ElementType::f8e4m3>,  element_kernel<ElementType::f8e5m2>};

// The same on a CPU.

void copy_on_cpu(const CopyTask& task, dim3, dim3) {
  copy_share(task, {});
}
void copy_ranges(const CopyTask& task, void* listener, TellRange tell) {
  tell(listener, task.source, task.bytes, false);
  tell(listener, task.target, task.bytes, true);
}

template <ElementType type>
void elements_on_cpu(const ElementTask& task, dim3, dim3) {
  element_share<type>(task, {});
}
template <ElementType type>
void element_ranges(const ElementTask& task, void* listener, TellRange tell) {
  const auto bytes = task.elements * sizeof(BitsOf<type>);
  tell(listener, task.source, bytes, false);
  if (has_two_operands(task.op)) tell(listener, task.with, bytes, false);
  tell(listener, task.target, bytes, true);
}

template <ElementType type>
CpuKernel on_cpu() {
  return cpu_kernel<ElementTask, elements_on_cpu<type>, element_ranges<type>>(
      element_kernels[static_cast<std::size_t>(type)]);
}

/// A vector a thread, until the limit is reached.
std::uint32_t blocks_for(std::uint64_t bytes, GridLimit limit) {
  const auto per_block = std::uint64_t{limit.threads} * sizeof(Vector);
  const auto blocks = (bytes + per_block - 1) / per_block;
  return static_cast<std::uint32_t>(blocks < limit.blocks ? blocks : limit.blocks);
}

/// What this launch says: cudaGetLastError() may tell of an earlier call.
template <typename Task>
cudaError_t launch(void (*kernel)(Task), Task task, GridLimit grid, cudaStream_t stream) {
  void* arguments[] = {&task};
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(grid.blocks),
                          dim3(grid.threads), arguments, 0, stream);
}

}  // namespace

extern const CpuKernel copy_and_element_kernels[] = {
    cpu_kernel<CopyTask, copy_on_cpu, copy_ranges>(copy_kernel),
    on_cpu<ElementType::int8>(),
    on_cpu<ElementType::uint8>(),
    on_cpu<ElementType::int32>(),
    on_cpu<ElementType::uint32>(),
    on_cpu<ElementType::int64>(),
    on_cpu<ElementType::uint64>(),
    on_cpu<ElementType::float16>(),
    on_cpu<ElementType::bfloat16>(),
    on_cpu<ElementType::float32>(),
    on_cpu<ElementType::float64>(),
    on_cpu<ElementType::f8e4m3>(),
    on_cpu<ElementType::f8e5m2>(),
    {}};

cudaError_t launch_copy(const CopyTask& task, GridLimit limit, cudaStream_t stream) {
  if (task.bytes == 0) return cudaSuccess;
  return launch(copy_kernel, task, {blocks_for(task.bytes, limit), limit.threads}, stream);
}

cudaError_t launch_elements(ElementType type, const ElementTask& task, GridLimit limit,
                            cudaStream_t stream) {
  if (task.elements == 0) return cudaSuccess;
  const auto kernel = element_kernels[static_cast<std::size_t>(type)];
  const auto bytes = task.elements * size_of(type).count;
  return launch(kernel, task, {blocks_for(bytes, limit), limit.threads}, stream);
}

}  // namespace ringside::cuda
