#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"
#include "gpu/host/event_count.hpp"

namespace ringside::host {

using Clock = std::chrono::steady_clock;
Duration elapsed(Clock::time_point from, Clock::time_point to);

/// Where all ranks of a run meet, again and again: one counter up, one number that grows.
class Rendezvous {
 public:
  Rendezvous(std::uint32_t ranks, const Patience& patience, Failure& failure);

  /// The last one to arrive does `last()`; then everybody goes on, and sees what was done before.
  /// False if somebody stayed away (reported, by number) or the run has failed.
  template <typename Last>
  bool meet(std::uint32_t me, const Last& last) {
    const auto meeting = arrive(me, last);
    if (meeting == 0) return !failure_.happened();
    if (!meeting_.await(meeting, seen_[me].patience, failure_)) report_absent(meeting);
    return !failure_.happened();
  }

  /// The last thing a rank does in a run: only rank 0 waits for the others.
  template <typename Last>
  void part(std::uint32_t me, const Last& last) {
    if (me == 0)
      meet(me, last);
    else
      arrive(me, last);
  }

 private:
  struct alignas(64) Seen {
    std::atomic<std::uint64_t> meeting = 0;  // it came to last, to name those who did not
    Patience patience;
  };

  /// The meeting that others are still to come to, or 0.
  template <typename Last>
  std::uint64_t arrive(std::uint32_t me, const Last& last) {
    const auto meeting = seen_[me].meeting.load(std::memory_order_relaxed) + 1;
    seen_[me].meeting.store(meeting, std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < seen_.size()) return meeting;
    arrived_.store(0, std::memory_order_relaxed);
    last();
    meeting_.advance(meeting);
    return 0;
  }
  void report_absent(std::uint64_t meeting);

  alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
  alignas(64) EventCount meeting_;
  std::vector<Seen> seen_;  // by rank
  Failure& failure_;
};

/// Threads that outlive the runs they work for, asleep in between: to start one takes longer than
/// many a run. They end with this.
class Crew {
 public:
  Crew() = default;
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// From now on there are `workers`, the caller of run() being one of them, or more. An error if
  /// the machine gives fewer threads.
  Result<void> hire(std::uint32_t workers);

  using Job = std::function<void(std::uint32_t)>;
  /// `workers` do job(their number), the caller as number 0; returns when all have. One job at a
  /// time: another caller waits.
  void run(std::uint32_t workers, const Job& job);

 private:
  /// Where one thread sleeps.
  struct alignas(64) Seat {
    EventCount jobs;           // it was told to do
    const Job* job = nullptr;  // null: go home
    std::thread thread;
    void begin(const Job* its_job);
  };
  void live(std::uint32_t me, Seat& seat);
  void work(std::uint32_t me, const Job& job, std::uint64_t goal);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Seat>> seats_;  // of workers 1 and so on
  std::atomic<std::uint32_t> busy_ = 0;
  EventCount done_;  // jobs
};

}  // namespace ringside::host
