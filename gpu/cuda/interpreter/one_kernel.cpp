#include "gpu/cuda/interpreter/one_kernel.hpp"

namespace ringside::cuda {

Result<std::unique_ptr<Prepared>> prepare_kernel(const Work&, Memory&, const RunOptions&,
                                                 const KernelSetup&) {
  return machine_lacks("executor kernel of the cuda backend is not in this version");
}

}  // namespace ringside::cuda
