#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "gpu/cuda/interpreter/protocol.hpp"

namespace ringside::cuda::interpreter {

/// Counts what the blocks of this process release. On a busy machine, who only yields until a flag
/// has changed waits for everybody else's turn.
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

/// A thread block of one thread, on a CPU.
class CpuBlock {
 public:
  std::uint32_t thread() const { return 0; }
  std::uint32_t threads() const { return 1; }
  Places& places() const { return places_; }
  void barrier() const {}
  bool any(bool said) const { return said; }

  static Flag load(const Flag* flag) { return of(flag).load(std::memory_order_relaxed); }
  static Flag load_acquire(const Flag* flag) { return of(flag).load(std::memory_order_acquire); }
  static void store(Flag* flag, Flag value) {
    std::atomic_ref(*flag).store(value, std::memory_order_relaxed);
  }
  static void store_release(Flag* flag, Flag value) {
    std::atomic_ref(*flag).store(value, std::memory_order_release);
    releases.add_one();
  }
  static bool is_set(const std::uint32_t* word) {
    return std::atomic_ref(*const_cast<std::uint32_t*>(word)).load(std::memory_order_relaxed) != 0;
  }
  static void set(std::uint32_t* word) {
    std::atomic_ref(*word).store(1, std::memory_order_relaxed);
  }
  static std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
  }
  static void pause(std::uint32_t) { std::this_thread::yield(); }

 private:
  static std::atomic_ref<Flag> of(const Flag* flag) {
    return std::atomic_ref(*const_cast<Flag*>(flag));
  }
  mutable Places places_{};
};

/// All thread blocks of a job on the calling thread: whichever may go on does. Other threads may do
/// other jobs that these blocks exchange messages with.
void run_on_cpu(ElementType type, const Job& job);

}  // namespace ringside::cuda::interpreter
