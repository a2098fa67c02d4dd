// Runs a slice plan. Every rank's thread comes to a rendezvous, as ranks of a collective do: then
// all share out the slices, or, where that takes longer than doing them, the last one does them
// all.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "gpu/host/arithmetic.hpp"
#include "gpu/host/crew.hpp"
#include "gpu/host/fusion.hpp"
#include "gpu/host/prepared.hpp"

namespace ringside::host {
namespace {

// A second thread starts within a microsecond or so, in which one moves this much.
constexpr std::uint64_t bytes_for_one_thread = 64 << 10;
// Where caches feed them, fused loops take a third less time; where memory does, a sixth more than
// slices: on two threads at once, eight lines of one buffer after the other suit it better.
constexpr std::uint64_t bytes_that_caches_hold = 16 << 20;
// 32 KiB of each chunk: long enough that memory is read ahead, short enough to end together.
constexpr std::uint64_t longest_batch = 64;

class SlicesPrepared final : public Prepared {
 public:
  SlicesPrepared(const Work& work, SlicePlan plan, const RunOptions& options)
      : plan_(std::move(plan)),
        element_(size_of(work.type).count),
        ranks_(work.schedule->spec().ranks),
        arithmetic_(arithmetic({work.type, work.op})),
        scalar_(convert_scalar(work.mulsum_scalar, work.type)),
        batch_(std::clamp<std::uint64_t>(plan_.slices / (4 * ranks_), 1, longest_batch)),
        rooms_(ranks_, std::vector<std::byte>(plan_.room)),
        rendezvous_(ranks_, patience(ranks_, options.timeout), failure_) {
    const bool fuses = plan_.bytes <= bytes_that_caches_hold;
    for (const Strand& strand : plan_.strands)
      fusions_.push_back(fuses ? fuse(plan_, strand) : std::nullopt);
  }

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
  struct Slice {
    std::uint64_t first, width;  // elements
    std::uint32_t worker;
  };

  void begin_next() {
    next_.store(0, std::memory_order_relaxed);
    stamps_.push_back(Clock::now());
  }

  void share(std::uint32_t me, int iterations) {
    if (!rendezvous_.meet(me, [&] { begin_next(); })) return;
    for (int i = 0; i < iterations; ++i) {
      for (;;) {
        const auto first = next_.fetch_add(batch_, std::memory_order_relaxed);
        if (first >= plan_.slices) break;
        do_slices(me, first, std::min(first + batch_, plan_.slices));
      }
      if (!rendezvous_.meet(me, [&] { begin_next(); })) return;
    }
  }

  void take_turns(std::uint32_t me, int iterations) {
    if (!rendezvous_.meet(me, [&] { begin_next(); })) return;
    for (int i = 0; i < iterations; ++i) {
      const auto all = [&] {
        do_slices(me, 0, plan_.slices);
        begin_next();
      };
      if (!rendezvous_.meet(me, all)) return;
    }
  }

  void do_slices(std::uint32_t me, std::uint64_t first, std::uint64_t last) {
    const auto begins_after = [](std::uint64_t n, const Strand& s) { return n < s.first_slice; };
    auto next = std::upper_bound(plan_.strands.begin(), plan_.strands.end(), first, begins_after);
    while (first < last) {
      while (next != plan_.strands.end() && next->first_slice <= first) ++next;
      const Strand& strand = *(next - 1);
      const auto end = std::min(last, strand.first_slice + strand.slices());
      const auto& fusion = fusions_[static_cast<std::size_t>(next - 1 - plan_.strands.begin())];
      const auto begin = (first - strand.first_slice) * strand.width;
      if (fusion)
        arithmetic_.combine(fusion->targets, fusion->sources, begin,
                            std::min(strand.elements, begin + (end - first) * strand.width));
      else
        for (auto at = begin; first < end; ++first, at += strand.width)
          do_slice(strand, {at, strand.width, me});
      first = end;
    }
  }

  void do_slice(const Strand& strand, const Slice& slice) {
    for (auto i = strand.first; i < strand.last; ++i) apply(plan_.operations[i], slice);
  }

  std::byte* at(const Place& place, const Slice& slice) {
    if (place.chunk != nullptr) return place.chunk + slice.first * element_;
    return rooms_[slice.worker].data() + place.number * slice.width * element_;
  }

  void apply(const Operation& op, const Slice& slice) {
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
  std::vector<std::optional<Fusion>> fusions_;  // by strand
  std::size_t element_;
  std::uint32_t ranks_;
  Arithmetic arithmetic_;
  std::uint64_t scalar_;
  std::uint64_t batch_;  // slices that a thread takes at once
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
