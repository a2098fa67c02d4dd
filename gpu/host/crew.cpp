#include "gpu/host/crew.hpp"

#include <system_error>

#include "core/suggest.hpp"

namespace ringside::host {

Duration elapsed(Clock::time_point from, Clock::time_point to) {
  return nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count());
}

Patience patience(std::uint32_t threads, Duration timeout) {
  // A few microseconds: longer than a message between caches takes, shorter than being scheduled.
  constexpr int spins_where_everybody_runs = 200;
  const bool everybody_runs = threads <= std::thread::hardware_concurrency();
  const int spins = everybody_runs ? spins_where_everybody_runs : 0;
  return {timeout, spins, spins};
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

Rendezvous::Rendezvous(std::uint32_t threads, const Patience& patience, Failure& failure)
    : seen_(threads), failure_(failure) {
  for (Seen& seen : seen_) seen.patience = patience;
}

void Rendezvous::report_absent(std::uint64_t meeting) {
  for (std::size_t r = 0; r < seen_.size(); ++r)
    if (seen_[r].meeting.load(std::memory_order_relaxed) < meeting)
      return failure_.report("rank " + std::to_string(r) + " did not come to the rendezvous of " +
                             counted(seen_.size(), "rank") + " within " +
                             to_string(seen_[r].patience.timeout));
  failure_.report("the last rank at the rendezvous worked longer than " +
                  to_string(seen_.front().patience.timeout));
}

Result<std::unique_ptr<Crew>> Crew::hire(std::uint32_t threads) {
  std::unique_ptr<Crew> crew(new Crew);
  crew->threads_.reserve(threads);
  try {
    for (std::uint32_t me = 0; me < threads; ++me)
      crew->threads_.emplace_back([self = crew.get(), me] { self->live(me); });
  } catch (const std::system_error&) {
    return machine_lacks("this machine gives " + counted(crew->threads_.size(), "thread") +
                         ", and the host backend needs one for each of " +
                         counted(threads, "rank"));
  }
  return crew;
}

Crew::~Crew() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Crew::run(const std::function<void(std::uint32_t)>& job) {
  std::unique_lock lock(mutex_);
  job_ = &job;
  busy_ = static_cast<std::uint32_t>(threads_.size());
  ++jobs_;
  work_.notify_all();
  done_.wait(lock, [&] { return busy_ == 0; });
}

void Crew::live(std::uint32_t me) {
  std::unique_lock lock(mutex_);
  for (std::uint64_t seen = 0;; ++seen) {
    work_.wait(lock, [&] { return stop_ || jobs_ > seen; });
    if (stop_) return;
    const auto* job = job_;
    lock.unlock();
    (*job)(me);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace ringside::host
