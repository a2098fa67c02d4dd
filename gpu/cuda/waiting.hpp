#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "core/units.hpp"
#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/status.hpp"

namespace ringside::cuda {

/// Asks until the answer is something else than cudaErrorNotReady, and for `timeout` at most; so
/// nothing that a device fails to do holds this process up for ever.
template <typename Query>
cudaError_t poll(Query query, Duration timeout) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto since = [&] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  };
  constexpr std::int64_t briefly = 200'000;  // nanoseconds without sleep
  for (;;) {
    const cudaError_t answer = query();
    const auto waited = since();
    if (answer != cudaErrorNotReady || nanoseconds(waited) > timeout) return answer;
    if (waited > briefly) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// Whether the stream is still busy after a while in which devices do a lot.
inline bool seems_to_hang(const Stream& stream) {
  return poll([&] { return cudaStreamQuery(stream.get()); }, microseconds(1'000'000)) ==
         cudaErrorNotReady;
}

/// Who frees what a hanging device still works on, hangs too: it is kept to the process's end,
/// where leak checkers find it.
void leave_behind(std::shared_ptr<const void> what);

/// Waits until the stream has done all it was given. `doing` completes "could not ...".
inline Result<void> drain(const Stream& stream, Duration timeout, std::string_view doing) {
  const auto code = poll([&] { return cudaStreamQuery(stream.get()); }, timeout);
  if (code != cudaErrorNotReady) return check(code, doing, stream.device());
  return gone_wrong("CUDA device " + std::to_string(stream.device()) + " did not " +
                    std::string(doing) + " within " + to_string(timeout));
}

}  // namespace ringside::cuda
