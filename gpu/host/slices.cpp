// Runs a slice plan. Every rank's thread comes to a rendezvous, as ranks of a collective do: then
// all share out the slices, or, where that takes longer than doing them, the last one does them
// all.

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "gpu/host/crew.hpp"
#include "gpu/host/prepared.hpp"
#include "gpu/host/slice_runner.hpp"

namespace ringside::host {
namespace {

// A second thread starts within a microsecond or so, in which one moves this much.
constexpr std::uint64_t bytes_for_one_thread = 64 << 10;

class SlicesPrepared final : public Prepared {
 public:
  SlicesPrepared(const Work& work, SlicePlan plan, Execution how)
      : runner_(work, std::move(plan), work.schedule->spec().ranks),
        batch_(runner_.batch(work.schedule->spec().ranks)),
        ranks_(work.schedule->spec().ranks),
        name_("host/" + how.options.executor),
        rendezvous_(ranks_, patience(ranks_, how.options.timeout), failure_),
        crew_(std::move(how.crew)) {}

  Result<Measurement> run(int iterations) override {
    RS_TRY(failure_.result());
    stamps_.clear();
    stamps_.reserve(static_cast<std::size_t>(iterations) + 1);
    const bool alone = runner_.bytes() <= bytes_for_one_thread;
    crew_->run(ranks_, [&](std::uint32_t me) {
      alone ? take_turns(me, iterations) : share(me, iterations);
    });
    RS_TRY(failure_.result());
    Measurement measurement;
    measurement.executor = name_;
    for (std::size_t i = 1; i < stamps_.size(); ++i)
      measurement.iterations.push_back(elapsed(stamps_[i - 1], stamps_[i]));
    return measurement;
  }

 private:
  void begin_next() {
    next_.store(0, std::memory_order_relaxed);
    stamps_.push_back(Clock::now());
  }

  void share(std::uint32_t me, int iterations) {
    const auto next = [&] { begin_next(); };
    if (!rendezvous_.meet(me, next)) return;
    for (int i = 0; i < iterations; ++i) {
      for (;;) {
        const auto first = next_.fetch_add(batch_, std::memory_order_relaxed);
        if (first >= runner_.slices()) break;
        runner_.run(me, first, std::min(first + batch_, runner_.slices()));
      }
      if (i + 1 == iterations) return rendezvous_.part(me, next);
      if (!rendezvous_.meet(me, next)) return;
    }
  }

  void take_turns(std::uint32_t me, int iterations) {
    if (!rendezvous_.meet(me, [&] { begin_next(); })) return;
    const auto all = [&] {
      runner_.run(me, 0, runner_.slices());
      begin_next();
    };
    for (int i = 0; i + 1 < iterations; ++i)
      if (!rendezvous_.meet(me, all)) return;
    if (iterations > 0) rendezvous_.part(me, all);
  }

  SliceRunner runner_;
  std::uint64_t batch_;  // slices that a thread takes at once
  std::uint32_t ranks_;
  std::string name_;
  std::vector<Clock::time_point> stamps_;            // written at the rendezvous only
  alignas(64) std::atomic<std::uint64_t> next_ = 0;  // the first slice that nobody has taken
  Failure failure_;
  Rendezvous rendezvous_;
  std::shared_ptr<Crew> crew_;
};

}  // namespace

std::unique_ptr<Prepared> prepare_slices(const Work& work, SlicePlan plan, Execution how) {
  return std::make_unique<SlicesPrepared>(work, std::move(plan), std::move(how));
}

}  // namespace ringside::host
