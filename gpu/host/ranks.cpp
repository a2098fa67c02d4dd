// The schedule rank by rank, as the simulator means it: nobody waits for a step, each move waits
// for those it depends on. What others wait for is one number a participant: how many moves it has
// made.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "gpu/host/arithmetic.hpp"
#include "gpu/host/buffers.hpp"
#include "gpu/host/crew.hpp"
#include "gpu/host/prepared.hpp"
#include "gpu/host/rank_plan.hpp"

namespace ringside::host {
namespace {

class RanksPrepared final : public Prepared {
 public:
  RanksPrepared(const Work& work, const Memory& memory, RankPlan plan, Execution how)
      : work_(work),
        schedule_(*work.schedule),
        memory_(memory),
        traced_(how.options.trace),
        element_(size_of(work.type).count),
        arithmetic_(arithmetic({work.type, work.op})),
        plan_(std::move(plan)),
        progress_(schedule_.participants()),
        times_(traced_ ? schedule_.transfers().size() : 0),
        timeout_(how.options.timeout),
        // Who waits for a transfer can say more than who waits for all: let it speak first.
        rendezvous_(schedule_.participants(), patience(schedule_.participants(), 2 * timeout_),
                    failure_),
        crew_(std::move(how.crew)) {
    for (Progress& progress : progress_)
      progress.patience = patience(schedule_.participants(), timeout_);
  }

  Result<Measurement> run(int iterations) override {
    RS_TRY(failure_.result());
    stamps_.clear();
    stamps_.reserve(static_cast<std::size_t>(iterations) + 1);
    crew_->run(schedule_.participants(), [&](std::uint32_t me) { live(me, iterations); });
    RS_TRY(failure_.result());
    Measurement measurement;
    measurement.executor = "host/ranks";
    for (std::size_t i = 1; i < stamps_.size(); ++i)
      measurement.iterations.push_back(elapsed(stamps_[i - 1], stamps_[i]));
    if (traced_ && iterations > 0) measurement.trace = spans();
    return measurement;
  }

 private:
  struct Times {
    Clock::time_point begin, read, commit;
  };
  // NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what others watch has a line alone
  struct alignas(64) Progress {
    EventCount moves;
    alignas(64) Patience patience;
  };

  void live(std::uint32_t me, int iterations) {
    const auto stamp = [&] { stamps_.push_back(Clock::now()), ++round_; };
    if (!rendezvous_.meet(me, stamp)) return;
    for (int i = 0; i < iterations; ++i) {
      if (!scale_input(me) || !make_moves(me) || !divide_output(me)) return;
      if (i + 1 == iterations) return rendezvous_.part(me, stamp);
      if (!rendezvous_.meet(me, stamp)) return;
    }
  }

  bool reduces_with(ReduceOp op) const { return work_.op == op && reduces(schedule_.spec().kind); }

  /// Others read it: nobody goes on until all have scaled.
  bool scale_input(std::uint32_t me) {
    if (!reduces_with(ReduceOp::mulsum)) return true;
    if (me < memory_.ranks.size()) {
      const bool in_place = schedule_.spec().in_place;
      const auto& [input, output] = memory_.ranks[me];
      const auto given = in_place ? std::span<const std::byte>(output) : input;
      auto* target = in_place ? output.data() : plan_.scaled[me].data();
      arithmetic_.scale(target, given.data(), given.size() / element_,
                        convert_scalar(work_.mulsum_scalar, work_.type));
    }
    return rendezvous_.meet(me, [] {});
  }

  /// Others may read it until all have made their moves.
  bool divide_output(std::uint32_t me) {
    if (!reduces_with(ReduceOp::avg)) return true;
    if (!rendezvous_.meet(me, [] {})) return false;
    const Buffers buffers{memory_, layout_of(work_), element_};
    const auto& spec = schedule_.spec();
    for (const Expectation& e : postcondition(spec, schedule_.chunks()))
      if (e.slot.rank.value == me)
        arithmetic_.divide(buffers.at(e.slot), buffers.layout.elements(e.slot.chunk), spec.ranks);
    return true;
  }

  bool make_moves(std::uint32_t me) {
    const auto& moves = plan_.moves[me];
    const auto base = round_ << 32;  // moves of an earlier round count for nothing
    std::uint32_t wait = 0, piece = 0;
    for (std::uint32_t i = 0; i < moves.size(); ++i) {
      const Move& move = moves[i];
      for (; wait < move.waits_end; ++wait)
        if (!wait_for(plan_.waits[me][wait], me, move)) return false;
      const auto begin = traced_ ? Clock::now() : Clock::time_point{};
      for (; piece < move.pieces_end; ++piece) apply(plan_.pieces[me][piece], move.reduces);
      if (traced_) note(move.event, begin);
      progress_[me].moves.advance(base + i + 1);
    }
    return true;
  }

  bool wait_for(const Wait& wait, std::uint32_t me, const Move& move) {
    const auto goal = (round_ << 32) + wait.moves;
    auto& moves = progress_[wait.participant].moves;
    if (!moves.await(goal, progress_[me].patience, failure_)) report_hang(wait, me, move);
    return !failure_.happened();
  }

  void report_hang(const Wait& wait, std::uint32_t me, const Move& move) {
    failure_.report("rank " + std::to_string(me) + " waited " + to_string(timeout_) + " for rank " +
                    std::to_string(wait.participant) + " to do " +
                    describe(wait.transfer, schedule_) + ", on which its own " +
                    describe(move.event.transfer, schedule_) + " depends");
  }

  void apply(const Piece& piece, bool reduce) const {
    if (reduce)
      arithmetic_.reduce(piece.target, piece.with, piece.source, piece.elements);
    else
      std::memcpy(piece.target, piece.source, piece.elements * element_);
  }

  void note(const Event& event, Clock::time_point begin) {
    Times& times = times_[event.transfer.value];
    const auto now = Clock::now();
    if (event.phase != Phase::commit) times.begin = begin, times.read = now;
    times.commit = now;
  }

  /// When a transfer might have begun is known from those it depends on: a raw dependency's commit,
  /// and the read of the one before it on its connection.
  std::vector<Span> spans() const;

  Work work_;
  const Schedule& schedule_;
  Memory memory_;  // spans: the caller's buffers
  bool traced_;
  std::size_t element_;
  Arithmetic arithmetic_;
  RankPlan plan_;
  std::vector<Progress> progress_;         // by participant
  std::vector<Times> times_;               // by transfer
  std::vector<Clock::time_point> stamps_;  // written at the rendezvous only, as is
  std::uint64_t round_ = 0;                // which iteration this is, over all runs
  Failure failure_;
  Duration timeout_;
  Rendezvous rendezvous_;
  std::shared_ptr<Crew> crew_;
};

std::vector<Span> RanksPrepared::spans() const {
  const auto start = stamps_[stamps_.size() - 2];
  std::vector<Span> spans(times_.size());
  for (std::uint32_t id = 0; id < spans.size(); ++id) {
    const Times& times = times_[id];
    Span& span = spans[id];
    span = {{},
            elapsed(start, times.begin),
            elapsed(start, times.read),
            elapsed(start, times.read),
            elapsed(start, times.commit)};
    for (const Dependency& d : schedule_.dependencies({id}))
      if (d.kind == DependencyKind::raw)
        span.ready = std::max(span.ready, spans[d.on.value].commit);
    span.ready = std::min(span.ready, span.begin);
  }
  return spans;
}

}  // namespace

std::unique_ptr<Prepared> prepare_ranks(const Work& work, const Memory& memory, RankPlan plan,
                                        Execution how) {
  return std::make_unique<RanksPrepared>(work, memory, std::move(plan), std::move(how));
}

}  // namespace ringside::host
