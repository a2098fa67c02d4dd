#include "gpu/host/crew.hpp"

#include <string>
#include <system_error>

#include "core/suggest.hpp"
#include "gpu/host/scheduling.hpp"

namespace ringside::host {
Duration elapsed(Clock::time_point from, Clock::time_point to) {
  return nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count());
}

Rendezvous::Rendezvous(std::uint32_t ranks, const Patience& patience, Failure& failure)
    : seen_(ranks), failure_(failure) {
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

Result<void> Crew::hire(std::uint32_t workers) try {
  const std::scoped_lock lock(mutex_);
  while (seats_.size() + 1 < workers) {
    auto seat = std::make_unique<Seat>();
    const auto number = static_cast<std::uint32_t>(seats_.size()) + 1;
    seat->thread = std::thread([this, number, &s = *seat] { live(number, s); });
    seats_.push_back(std::move(seat));
  }
  return {};
} catch (const std::system_error&) {
  return machine_lacks("this machine gives " + counted(seats_.size() + 1, "thread") +
                       ", and the host backend needs one for each of " + counted(workers, "rank"));
}

Crew::~Crew() {
  for (const auto& seat : seats_) seat->begin(nullptr);
  for (const auto& seat : seats_) seat->thread.join();
}

void Crew::Seat::begin(const Job* its_job) {
  job = its_job;
  jobs.advance(jobs.read() + 1);
}

void Crew::run(std::uint32_t workers, const Job& job) {
  const std::scoped_lock lock(mutex_);
  const ShortSlices mine;
  const auto goal = done_.read() + 1;
  busy_.store(workers, std::memory_order_relaxed);
  for (std::uint32_t i = 1; i < workers; ++i) seats_[i - 1]->begin(&job);
  work(0, job, goal);
  done_.await(goal);
}

void Crew::work(std::uint32_t me, const Job& job, std::uint64_t goal) {
  job(me);
  if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_.advance(goal);
}

void Crew::live(std::uint32_t me, Seat& seat) {
  const ShortSlices mine;
  for (std::uint64_t jobs = 1;; ++jobs) {
    seat.jobs.await(jobs);
    if (seat.job == nullptr) return;
    work(me, *seat.job, done_.read() + 1);
  }
}

}  // namespace ringside::host
