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

/// A vector a thread, until the limit is reached.
std::uint32_t blocks_for(std::uint64_t bytes, GridLimit limit) {
  const auto per_block = std::uint64_t{limit.threads} * sizeof(Vector);
  const auto blocks = (bytes + per_block - 1) / per_block;
  return static_cast<std::uint32_t>(blocks < limit.blocks ? blocks : limit.blocks);
}

}  // namespace

cudaError_t launch_copy(const CopyTask& task, GridLimit limit, cudaStream_t stream) {
  if (task.bytes == 0) return cudaSuccess;
  copy_kernel<<<blocks_for(task.bytes, limit), limit.threads, 0, stream>>>(task);
  return cudaGetLastError();
}

cudaError_t launch_elements(ElementType type, const ElementTask& task, GridLimit limit,
                            cudaStream_t stream) {
  if (task.elements == 0) return cudaSuccess;
  const auto kernel = element_kernels[static_cast<std::size_t>(type)];
  const auto bytes = task.elements * size_of(type).count;
  kernel<<<blocks_for(bytes, limit), limit.threads, 0, stream>>>(task);
  return cudaGetLastError();
}

}  // namespace ringside::cuda
