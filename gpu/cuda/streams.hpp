#pragma once

#include <functional>
#include <memory>

#include "core/backend.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/cuda/peers.hpp"
#include "gpu/cuda/stream_plan.hpp"

namespace ringside::cuda {

struct StreamsSetup {
  DeviceMap devices;
  PeerReport peers;
  bool graph = false;  ///< one CUDA graph of the whole schedule, launched each iteration
  SliceLimits slices{};
  /// For tests only: makes a mistake in the plan. A check that cannot see it is no check.
  std::function<void(StreamPlan&)> tamper{};
};

/// Executors `streams` and `graph`: the schedule enqueued on a stream for each rank and channel.
/// The binding has been checked. Allocates all that run() needs. Times are those of the devices,
/// from the moment the first stream may begin to the moment the last one has ended.
Result<std::unique_ptr<Prepared>> prepare_streams(const Work& work, Memory& memory,
                                                  const RunOptions& options,
                                                  const StreamsSetup& setup);

}  // namespace ringside::cuda
