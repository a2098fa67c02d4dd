#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace ringside::cuda {

/// Counts what kernels on CPU threads of this process release. On a busy machine, who only yields
/// until a flag has changed waits for everybody else's turn.
class Releases {
 public:
  std::uint64_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  void add_one() {
    const std::lock_guard lock(mutex_);
    ++count_;
    more_.notify_all();
  }
  /// Until there are more, or a moment has passed.
  void wait_for_more_than(std::uint64_t count) {
    std::unique_lock lock(mutex_);
    more_.wait_for(lock, std::chrono::milliseconds(1), [&] { return count_ > count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::uint64_t count_ = 0;
};
inline Releases releases;

}  // namespace ringside::cuda
