#include "gpu/cuda/streams.hpp"

namespace ringside::cuda {

Result<std::unique_ptr<Prepared>> prepare_streams(const Work&, Memory&, const RunOptions&,
                                                  const StreamsSetup&) {
  return machine_lacks("executor streams of the cuda backend is not in this version");
}

}  // namespace ringside::cuda
