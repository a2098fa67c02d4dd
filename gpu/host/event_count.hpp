#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside::host {

/// How one thread waits for another: it spins for a moment, lets others run for another, and then
/// sleeps. Where threads outnumber cores, whoever spins keeps the one it waits for from running.
/// Where other programs want the cores, whoever yields waits until they have had their turn: a
/// thread that finds so sleeps at once, and tries to yield ever more rarely.
struct Patience {
  Duration timeout;
  int spins = 0;
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

/// A number that only grows, and that threads wait for (Reed & Kanodia, "Synchronization with
/// eventcounts and sequencers", 1979). Whoever sees it sees what was done before it grew.
class EventCount {
 public:
  std::uint64_t read() const { return count_.load(std::memory_order_seq_cst); }

  /// One thread at a time. Where nobody sleeps it costs no system call.
  void advance(std::uint64_t to) {
    count_.store(to, std::memory_order_seq_cst);
    if (to >= awaited_.load(std::memory_order_seq_cst)) wake();
  }

  /// Until the count is `goal` or more, however long that takes; asleep.
  void await(std::uint64_t goal);
  /// False if the count is less than `goal` after the patience's timeout, or if the run fails.
  bool await(std::uint64_t goal, const Patience& patience, const Failure& failure);

 private:
  bool spin(std::uint64_t goal, int spins) const;
  bool yield(std::uint64_t goal) const;
  std::uint32_t announce(std::uint64_t goal);
  void wake();

  std::atomic<std::uint64_t> count_ = 0;
  std::atomic<std::uint64_t> awaited_ = UINT64_MAX;  // the least that a sleeper waits for
  std::atomic<std::uint32_t> wakings_ = 0;           // what they sleep on
};

}  // namespace ringside::host
