#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace ringside::cuda {

/// Numbers that look random and depend on place and seed.
struct PatternTask {
  std::uint32_t* at = nullptr;
  std::uint32_t words = 0, seed = 0;
  std::uint32_t* is_wrong = nullptr;  ///< compare: set to 1 where a word is another one
};

/// One of two kernels that run at the same time, each on its device, and pass numbers to and fro:
/// data, then a flag that says so, into the other one's mailbox. It waits for a bounded time.
struct PingPongTask {
  std::uint64_t* mine = nullptr;    ///< mailbox in this device's memory, all zero
  std::uint64_t* theirs = nullptr;  ///< in the other one's
  /// Host memory: `succeeded` if every number came and was right; the host tells to give up there.
  std::uint32_t* outcome = nullptr;
  std::uint32_t rounds = 0;
  bool begins = false;
  static constexpr std::uint32_t succeeded = 1, give_up = 2;
};
inline constexpr std::uint32_t mailbox_bytes = 256;  ///< flag and data on lines of their own

// Each enqueues one kernel on `stream` of the current device.

cudaError_t launch_write_pattern(const PatternTask& task, cudaStream_t stream);
cudaError_t launch_compare_pattern(const PatternTask& task, cudaStream_t stream);
cudaError_t launch_ping_pong(PingPongTask task, cudaStream_t stream);  ///< cooperative

}  // namespace ringside::cuda
