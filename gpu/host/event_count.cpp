#include "gpu/host/event_count.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ringside::host {
namespace {

using Clock = std::chrono::steady_clock;

// Who sleeps looks about so often: for failures, of which nobody wakes it.
constexpr auto longest_nap = std::chrono::milliseconds(10);

// Longer than several threads of one core need to come to a rendezvous.
constexpr auto longest_yielding = std::chrono::microseconds(50);

/// What a thread has learnt about yielding.
class Yielding {
 public:
  bool is_worth_it() {
    if (skips_ == 0) return true;
    --skips_;
    return false;
  }
  void learn(bool was_worth_it) {
    constexpr int most_skips = 1000;
    next_skips_ = was_worth_it ? next_skips_ * 7 / 8 : std::min(most_skips, 2 * next_skips_ + 1);
    skips_ = next_skips_;
  }

 private:
  int skips_ = 0, next_skips_ = 0;
};

#if defined(__linux__)

/// Sleeps unless `word` is something else than `seen`; may wake up for no reason.
void nap(const std::atomic<std::uint32_t>& word, std::uint32_t seen, const timespec* at_most) {
  static_assert(sizeof word == sizeof seen);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, at_most, nullptr, 0);
}

void wake_all(const std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

#else

void nap(const std::atomic<std::uint32_t>&, std::uint32_t, const timespec*) {
  std::this_thread::sleep_for(std::chrono::microseconds(50));
}

void wake_all(const std::atomic<std::uint32_t>&) {}

#endif

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Patience patience(std::uint32_t threads, Duration timeout) {
  // A few microseconds: longer than a message between caches takes, shorter than being scheduled.
  constexpr int spins_where_everybody_runs = 200;
  const bool everybody_runs = threads <= std::thread::hardware_concurrency();
  return {timeout, everybody_runs ? spins_where_everybody_runs : 0};
}

void Failure::report(const std::string& message) {
  const std::scoped_lock lock(mutex_);
  if (happened()) return;
  message_ = message;
  happened_.store(true, std::memory_order_relaxed);
}

Result<void> Failure::result() const {
  const std::scoped_lock lock(mutex_);
  if (!happened()) return {};
  return gone_wrong(message_);
}

bool EventCount::spin(std::uint64_t goal, int spins) const {
  for (int i = 0; i < spins; ++i) {
    if (read() >= goal) return true;
    relax();
  }
  return read() >= goal;
}

bool EventCount::yield(std::uint64_t goal) const {
  thread_local Yielding habit;
  if (!habit.is_worth_it()) return false;
  const auto end = Clock::now() + longest_yielding;
  for (;;) {
    std::this_thread::yield();
    const bool has_come = read() >= goal, in_time = Clock::now() < end;
    if (has_come || !in_time) return habit.learn(has_come && in_time), has_come;
  }
}

/// Says what a thread is about to sleep for, and returns what it then sleeps on. Whoever advances
/// the count after this wakes it; whoever did so before is seen by reading the count once more. Who
/// wakes sleepers forgets what they await and then changes what they sleep on: one who announced
/// in between does not fall asleep.
std::uint32_t EventCount::announce(std::uint64_t goal) {
  const auto wakings = wakings_.load(std::memory_order_seq_cst);
  auto least = awaited_.load(std::memory_order_seq_cst);
  while (least > goal && !awaited_.compare_exchange_weak(least, goal)) {
  }
  return wakings;
}

void EventCount::await(std::uint64_t goal) {
  while (read() < goal) {
    const auto wakings = announce(goal);
    if (read() < goal) nap(wakings_, wakings, nullptr);
  }
}

bool EventCount::await(std::uint64_t goal, const Patience& patience, const Failure& failure) {
  if (spin(goal, patience.spins) || yield(goal)) return !failure.happened();
  const auto deadline =
      Clock::now() + std::chrono::nanoseconds(patience.timeout.picoseconds / 1000);
  while (read() < goal && !failure.happened()) {
    const auto wakings = announce(goal);
    const auto left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) return false;
    const timespec at_most{
        0, static_cast<long>(std::min<std::chrono::nanoseconds>(left, longest_nap).count())};
    if (read() < goal) nap(wakings_, wakings, &at_most);
  }
  return !failure.happened();
}

void EventCount::wake() {
  awaited_.store(UINT64_MAX, std::memory_order_seq_cst);
  wakings_.fetch_add(1, std::memory_order_seq_cst);
  wake_all(wakings_);
}

}  // namespace ringside::host
