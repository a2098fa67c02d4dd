#pragma once

#include "gpu/nccl/grouped_plan.hpp"
#include "gpu/nccl/rank_streams.hpp"

namespace ringside::nccl {

/// Executor nccl/grouped: any schedule without agents, as groups of ncclSend and ncclRecv with
/// kernels between them.
Result<std::unique_ptr<Prepared>> prepare_grouped(const Work& work, const Memory& memory,
                                                  const RunOptions& options, const Setup& setup);

}  // namespace ringside::nccl
