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
  SlicesPrepared(const Work& work, SlicePlan plan, const RunOptions& options)
      : runner_(work, std::move(plan), work.schedule->spec().ranks),
        batch_(runner_.batch(work.schedule->spec().ranks)),
        ranks_(work.schedule->spec().ranks),
        rendezvous_(ranks_, patience(ranks_, options.timeout), failure_) {}

  Result<void> hire(std::string name) {
    name_ = std::move(name);
    RS_ASSIGN(crew_, Crew::hire(ranks_));
    return {};
  }

  Result<Measurement> run(int iterations) override {
    RS_TRY(failure_.result());
    stamps_.clear();
    stamps_.reserve(static_cast<std::size_t>(iterations) + 1);
    const bool alone = runner_.bytes() <= bytes_for_one_thread;
    crew_->run(
        [&](std::uint32_t me) { alone ? take_turns(me, iterations) : share(me, iterations); });
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
    if (!rendezvous_.meet(me, [&] { begin_next(); })) return;
    for (int i = 0; i < iterations; ++i) {
      for (;;) {
        const auto first = next_.fetch_add(batch_, std::memory_order_relaxed);
        if (first >= runner_.slices()) break;
        runner_.run(me, first, std::min(first + batch_, runner_.slices()));
      }
      if (!rendezvous_.meet(me, [&] { begin_next(); })) return;
    }
  }

  void take_turns(std::uint32_t me, int iterations) {
    if (!rendezvous_.meet(me, [&] { begin_next(); })) return;
    for (int i = 0; i < iterations; ++i) {
      const auto all = [&] {
        runner_.run(me, 0, runner_.slices());
        begin_next();
      };
      if (!rendezvous_.meet(me, all)) return;
    }
  }

  SliceRunner runner_;
  std::uint64_t batch_;  // slices that a thread takes at once
  std::uint32_t ranks_;
  std::string name_;
  std::vector<Clock::time_point> stamps_;            // written at the rendezvous only
  alignas(64) std::atomic<std::uint64_t> next_ = 0;  // the first slice that nobody has taken
  Failure failure_;
  Rendezvous rendezvous_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace

Result<std::unique_ptr<Prepared>> prepare_slices(const Work& work, SlicePlan plan,
                                                 const RunOptions& options, std::string name) {
  auto prepared = std::make_unique<SlicesPrepared>(work, std::move(plan), options);
  RS_TRY(prepared->hire(std::move(name)));
  return prepared;
}

}  // namespace ringside::host
