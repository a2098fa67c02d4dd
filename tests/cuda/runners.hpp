#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "gpu/cuda/interpreter/cpu_blocks.hpp"

// Ways to run a job's thread blocks on a CPU, each as unkind as it can be.

namespace ringside::cuda::interpreter {

/// One thread, which picks any block that may go on: a deadlock is seen at once, without a clock.
template <ElementType type>
Result<void> take_random_turns(const Job& job, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<CpuBlock> blocks(job.task_count);
  std::vector<std::unique_ptr<Interpreter<type, CpuBlock>>> running;
  for (std::uint32_t t = 0; t < job.task_count; ++t)
    running.push_back(std::make_unique<Interpreter<type, CpuBlock>>(job, job.tasks[t], blocks[t]));
  std::erase_if(running, [](auto& r) { return r->is_done() && (r->finish(), true); });
  while (!running.empty()) {
    const auto first = random() % running.size();
    std::size_t n = 0;
    while (n < running.size() && !running[(first + n) % running.size()]->is_ready()) ++n;
    if (n == running.size())
      return gone_wrong("all of " + std::to_string(n) + " thread blocks wait");
    auto& chosen = running[(first + n) % running.size()];
    chosen->act();
    if (!chosen->is_done()) continue;
    chosen->finish();
    std::swap(chosen, running.back());
    running.pop_back();
  }
  return {};
}

/// What a thread block of several threads has on a CPU; and mistakes that it may make.
struct BlockRules {
  std::set<const Flag*> relaxed_loads{}, relaxed_stores{};
  bool has_barriers = true;
};

/// What the threads of a block share.
class Meeting {
 public:
  Meeting(std::uint32_t threads, const BlockRules& rules) : threads_(threads), rules_(rules) {}

  std::uint32_t threads() const { return threads_; }
  const BlockRules& rules() const { return rules_; }
  Places& places() { return places_; }
  /// Everybody's `said`, or'ed.
  bool meet(bool said) {
    const auto order = rules_.has_barriers ? std::memory_order_acq_rel : std::memory_order_relaxed;
    if (said) said_.store(true, std::memory_order_relaxed);
    const auto meeting = meeting_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, order) + 1 == threads_) {
      heard_.store(said_.exchange(false, std::memory_order_relaxed), std::memory_order_relaxed);
      arrived_.store(0, std::memory_order_relaxed);
      meeting_.fetch_add(1, order);
    } else {
      while (meeting_.load(rules_.has_barriers ? std::memory_order_acquire
                                               : std::memory_order_relaxed) == meeting)
        std::this_thread::yield();
    }
    return heard_.load(std::memory_order_relaxed);
  }

 private:
  std::uint32_t threads_;
  const BlockRules& rules_;
  std::atomic<std::uint32_t> arrived_ = 0, meeting_ = 0;
  std::atomic<bool> said_ = false, heard_ = false;
  Places places_{};
};

/// A thread block of several threads, on a CPU, which now and then falls asleep.
class SlowBlock {
 public:
  SlowBlock(Meeting& meeting, std::uint32_t thread, std::uint64_t seed)
      : meeting_(meeting), thread_(thread), random_(seed) {}

  std::uint32_t thread() const { return thread_; }
  std::uint32_t threads() const { return meeting_.threads(); }
  Places& places() const { return meeting_.places(); }
  void barrier() { meeting_.meet(false), dawdle(); }
  bool any(bool said) { return meeting_.meet(said); }

  Flag load(const Flag* flag) const { return of(flag).load(std::memory_order_relaxed); }
  Flag load_acquire(const Flag* flag) const {
    const bool relaxed = meeting_.rules().relaxed_loads.contains(flag);
    return of(flag).load(relaxed ? std::memory_order_relaxed : std::memory_order_acquire);
  }
  void store(Flag* flag, Flag value) { of(flag).store(value, std::memory_order_relaxed); }
  void store_release(Flag* flag, Flag value) {
    dawdle();
    const bool relaxed = meeting_.rules().relaxed_stores.contains(flag);
    of(flag).store(value, relaxed ? std::memory_order_relaxed : std::memory_order_release);
  }
  static bool is_set(const std::uint32_t* word) { return CpuBlock::is_set(word); }
  static void set(std::uint32_t* word) { CpuBlock::set(word); }
  static std::uint64_t now() { return CpuBlock::now(); }
  static void pause(std::uint32_t) { std::this_thread::yield(); }

 private:
  static std::atomic_ref<Flag> of(const Flag* flag) {
    return std::atomic_ref(*const_cast<Flag*>(flag));
  }
  void dawdle() {
    const auto n = random_() % 64;
    if (n == 0) std::this_thread::sleep_for(std::chrono::microseconds(random_() % 50));
    if (n < 8) std::this_thread::yield();
  }

  Meeting& meeting_;
  std::uint32_t thread_;
  std::minstd_rand random_;
};

/// Every thread of every block a thread of this process, as a GPU has them.
template <ElementType type>
bool run_on_threads(const Job& job, std::uint32_t threads, std::uint64_t seed,
                    const BlockRules& rules) {
  std::vector<std::unique_ptr<Meeting>> meetings;
  std::vector<std::thread> all;
  std::atomic<bool> good = true;
  for (std::uint32_t t = 0; t < job.task_count; ++t) {
    meetings.push_back(std::make_unique<Meeting>(threads, rules));
    for (std::uint32_t i = 0; i < threads; ++i)
      all.emplace_back([&job, &good, meeting = meetings.back().get(), t, i, seed] {
        SlowBlock block(*meeting, i, seed + t * 31 + i);
        if (!Interpreter<type, SlowBlock>(job, job.tasks[t], block).run())
          good.store(false, std::memory_order_relaxed);
      });
  }
  for (auto& thread : all) thread.join();
  return good;
}

}  // namespace ringside::cuda::interpreter
