#include "gpu/cuda/cpu_kernels.hpp"

namespace ringside::cuda {

/// A file with kernels adds its table here.
extern "C" const CpuKernel* const ringside_cpu_kernels[] = {nullptr};

}  // namespace ringside::cuda
