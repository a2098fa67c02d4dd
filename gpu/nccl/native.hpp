#pragma once

#include "gpu/nccl/rank_streams.hpp"

namespace ringside::nccl {

/// Executor nccl/native: NCCL's own collective, as a yardstick; Ringside's schedule is not run.
/// What NCCL lacks is built of its sends and receives, as nccl-tests does, and a barrier is an
/// all-reduce of one element.
Result<std::unique_ptr<Prepared>> prepare_native(const Work& work, const Memory& memory,
                                                 const RunOptions& options, const Setup& setup);

}  // namespace ringside::nccl
