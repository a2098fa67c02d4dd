#pragma once

#include <vector>

#include "gpu/cuda/interpreter/device_side.hpp"

namespace ringside::cuda::interpreter {

/// A device's clock beside the host's.
struct ClockReading {
  std::int64_t ahead_ns = 0;  ///< how far it is ahead
  Duration error{};           ///< give or take
};

/// Every device's, while nothing runs on it. Of several round trips the shortest is kept
/// (Cristian, "Probabilistic clock synchronization", 1989). `word` is pinned host memory.
Result<std::vector<ClockReading>> read_clocks(const Sides& sides, std::uint64_t* word);

/// How far apart two devices' times may be: nothing where there is one device.
Duration worst_error(const std::vector<ClockReading>& clocks);

}  // namespace ringside::cuda::interpreter
