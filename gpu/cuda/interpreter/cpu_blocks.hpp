#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "gpu/cuda/interpreter/protocol.hpp"
#include "gpu/cuda/releases.hpp"

namespace ringside::cuda::interpreter {

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
