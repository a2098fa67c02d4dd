#include "gpu/cuda/cpu_kernels.hpp"

namespace ringside::cuda {

extern const CpuKernel copy_and_element_kernels[];  // kernels.cu
extern const CpuKernel peer_kernels[];              // peer_kernels.cu
namespace interpreter {
extern const CpuKernel interpreter_kernels[];  // interpreter/interpreter.cu
}

/// A file with kernels adds its table here.
extern "C" const CpuKernel* const ringside_cpu_kernels[] = {
    copy_and_element_kernels, peer_kernels, interpreter::interpreter_kernels, nullptr};

}  // namespace ringside::cuda
