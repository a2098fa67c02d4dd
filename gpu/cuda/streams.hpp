#pragma once

#include <memory>

#include "core/backend.hpp"
#include "gpu/cuda/devices.hpp"

namespace ringside::cuda {

struct StreamsSetup {
  DeviceMap devices;
  bool graph = false;  ///< one CUDA graph of the whole schedule, launched each iteration
};

/// Executors `streams` and `graph`: the schedule enqueued on a stream for each rank and channel.
/// The binding has been checked. Allocates all that run() needs.
Result<std::unique_ptr<Prepared>> prepare_streams(const Work& work, Memory& memory,
                                                  const RunOptions& options,
                                                  const StreamsSetup& setup);

}  // namespace ringside::cuda
