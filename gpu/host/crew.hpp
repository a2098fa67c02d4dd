#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside::host {

using Clock = std::chrono::steady_clock;
Duration elapsed(Clock::time_point from, Clock::time_point to);

/// How one thread waits for another: it spins for a while, then lets others run. Where threads
/// outnumber cores, whoever spins keeps the one it waits for from running; so does it where other
/// programs take the cores, and that shows in spins that were in vain. One for each thread.
struct Patience {
  Duration timeout;
  int most_spins = 0, spins = 0;
};
Patience patience(std::uint32_t threads, Duration timeout);

/// What went wrong first. Everybody who waits looks at it, so that one failure ends the run.
class Failure {
 public:
  bool happened() const { return happened_.load(std::memory_order_relaxed); }
  void report(const std::string& message);
  Result<void> result() const;

 private:
  mutable std::mutex mutex_;
  std::string message_;
  std::atomic<bool> happened_ = false;
};

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits until done(); false after the timeout. Costs no look at the clock if done() is soon true.
template <typename Done>
bool wait_until(Patience& patience, const Done& done) {
  for (int i = 0; i < patience.spins; ++i) {
    if (done()) {
      patience.spins = std::min(patience.most_spins, 2 * patience.spins);
      return true;
    }
    relax();
  }
  patience.spins = std::min(patience.most_spins, patience.spins / 2 + 8);
  const auto deadline =
      Clock::now() + std::chrono::nanoseconds(patience.timeout.picoseconds / 1000);
  do {
    for (int i = 0; i < 64; ++i) {
      if (done()) return true;
      std::this_thread::yield();
    }
  } while (Clock::now() < deadline);
  return done();
}

/// Where all threads of a crew meet, again and again: one counter up, one number that changes.
class Rendezvous {
 public:
  Rendezvous(std::uint32_t threads, const Patience& patience, Failure& failure);

  /// The last one to arrive does `last()`; then everybody goes on, and sees what was done before.
  /// False if somebody stayed away (reported, by number) or the run has failed.
  template <typename Last>
  bool meet(std::uint32_t me, const Last& last) {
    const auto meeting = meeting_.load(std::memory_order_relaxed);
    seen_[me].meeting.store(meeting + 1, std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == seen_.size()) {
      arrived_.store(0, std::memory_order_relaxed);
      last();
      meeting_.store(meeting + 1, std::memory_order_release);
      return !failure_.happened();
    }
    const bool came = wait_until(seen_[me].patience, [&] {
      return meeting_.load(std::memory_order_acquire) != meeting || failure_.happened();
    });
    if (!came) report_absent(meeting + 1);
    return !failure_.happened();
  }

 private:
  struct alignas(64) Seen {
    std::atomic<std::uint64_t> meeting = 0;  // it came to last, to name those who did not
    Patience patience;
  };
  void report_absent(std::uint64_t meeting);

  alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
  alignas(64) std::atomic<std::uint64_t> meeting_ = 0;
  std::vector<Seen> seen_;  // by thread
  Failure& failure_;
};

/// Threads that live as long as this, asleep between jobs.
class Crew {
 public:
  /// An error if the machine gives fewer threads.
  static Result<std::unique_ptr<Crew>> hire(std::uint32_t threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Every thread does job(its number), from 0 on; returns when all have.
  void run(const std::function<void(std::uint32_t)>& job);

 private:
  Crew() = default;
  void live(std::uint32_t me);

  std::mutex mutex_;
  std::condition_variable work_, done_;
  const std::function<void(std::uint32_t)>* job_ = nullptr;
  std::uint64_t jobs_ = 0;
  std::uint32_t busy_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ringside::host
