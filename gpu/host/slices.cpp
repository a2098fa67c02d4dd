// Runs a slice plan. Every rank's thread comes to a rendezvous, as ranks of a collective do: then
// all share out the slices, or, where that takes longer than doing them, the last one does them
// all.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/host/arithmetic.hpp"
#include "gpu/host/crew.hpp"
#include "gpu/host/prepared.hpp"

namespace ringside::host {
namespace {

// A second thread starts within a microsecond or so, in which one moves this much.
constexpr std::uint64_t bytes_for_one_thread = 64 << 10;

class SlicesPrepared final : public Prepared {
 public:
  SlicesPrepared(const Work& work, SlicePlan plan, const RunOptions& options)
      : plan_(std::move(plan)),
        element_(size_of(work.type).count),
        ranks_(work.schedule->spec().ranks),
        arithmetic_(arithmetic({work.type, work.op})),
        scalar_(convert_scalar(work.mulsum_scalar, work.type)),
        rooms_(ranks_, std::vector<std::byte>(plan_.room)),
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
    const bool alone = plan_.bytes <= bytes_for_one_thread;
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
        const auto slice = next_.fetch_add(1, std::memory_order_relaxed);
        if (slice >= plan_.slices) break;
        do_slice(me, slice);
      }
      if (!rendezvous_.meet(me, [&] { begin_next(); })) return;
    }
  }

  void take_turns(std::uint32_t me, int iterations) {
    if (!rendezvous_.meet(me, [&] { begin_next(); })) return;
    for (int i = 0; i < iterations; ++i) {
      const auto all = [&] {
        for (std::uint64_t slice = 0; slice < plan_.slices; ++slice) do_slice(me, slice);
        begin_next();
      };
      if (!rendezvous_.meet(me, all)) return;
    }
  }

  void do_slice(std::uint32_t me, std::uint64_t number) {
    const auto after = std::upper_bound(
        plan_.strands.begin(), plan_.strands.end(), number,
        [](std::uint64_t n, const Strand& strand) { return n < strand.first_slice; });
    const Strand& strand = *(after - 1);
    const Slice slice{(number - strand.first_slice) * strand.width, strand.width,
                      rooms_[me].data()};
    for (auto i = strand.first; i < strand.last; ++i) apply(plan_.operations[i], slice);
  }

  struct Slice {
    std::uint64_t first, width;  // elements
    std::byte* room;
  };

  std::byte* at(const Place& place, const Slice& slice) const {
    return place.chunk != nullptr ? place.chunk + slice.first * element_
                                  : slice.room + place.number * slice.width * element_;
  }

  void apply(const Operation& op, const Slice& slice) const {
    if (op.elements <= slice.first) return;
    const auto elements = std::min(slice.width, op.elements - slice.first);
    auto* target = at(op.target, slice);
    const auto* source = at(op.source, slice);
    switch (op.kind) {
      case Operation::Kind::copy:
        std::memcpy(target, source, elements * element_);
        break;
      case Operation::Kind::reduce:
        arithmetic_.reduce(target, at(op.with, slice), source, elements);
        break;
      case Operation::Kind::scale:
        arithmetic_.scale(target, source, elements, scalar_);
        break;
      case Operation::Kind::divide:
        arithmetic_.divide(target, elements, ranks_);
        break;
    }
  }

  SlicePlan plan_;
  std::size_t element_;
  std::uint32_t ranks_;
  Arithmetic arithmetic_;
  std::uint64_t scalar_;
  std::string name_;
  std::vector<std::vector<std::byte>> rooms_;        // by thread
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
