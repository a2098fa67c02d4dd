#include "gpu/nccl/grouped_plan.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"
#include "gpu/cuda/stream_layout.hpp"
#include "gpu/host/linear_order.hpp"

namespace ringside::nccl {
namespace {

using cuda::Area;
using cuda::OperationKind;
using cuda::Piece;
using cuda::Pieces;
using cuda::Place;
using host::Phase;

class Planner {
 public:
  Planner(const Work& work, std::uint32_t most)
      : most_(most),
        schedule_(*work.schedule),
        layout_(work),
        landed_(schedule_.transfers().size()),
        ranks_(schedule_.participants()) {
    plan_.ranks.resize(ranks_.size());
    plan_.bytes.resize(ranks_.size());
  }

  GroupedPlan plan() && {
    if (layout_.adapts(ReduceOp::mulsum)) scale_inputs();
    const auto order = host::linear_order(schedule_);
    auto event = order.begin();
    for (std::uint32_t s = 0; s < schedule_.steps(); ++s) {
      begin_step();
      for (auto id = schedule_.step_begin({s}); id < schedule_.step_end({s}); ++id.value)
        if (!schedule_[id].is_local()) exchange(id);
      for (; event != order.end() && event->transfer < schedule_.step_end({s}); ++event)
        do_by_itself(*event);
      end_step();
    }
    if (layout_.adapts(ReduceOp::avg) && schedule_.spec().ranks > 1) divide_outputs();
    for (std::uint32_t r = 0; r < ranks_.size(); ++r)
      plan_.bytes[r] = {layout_.scratch_bytes(),
                        layout_.scales_aside() ? layout_.vector_bytes() : 0, ranks_[r].landing, 0};
    plan_.rounds = round_ + 1;
    return std::move(plan_);
  }

 private:
  /// How far a rank has come in the step.
  struct Progress {
    std::uint32_t part = 0;     ///< the step's rounds so far
    std::uint32_t ends = 0;     ///< of this part
    std::uint64_t used = 0;     ///< of the landing area, by this step
    std::uint64_t landing = 0;  ///< the most that any step used
  };

  void begin_step() {
    for (Progress& rank : ranks_) rank = {0, 0, 0, rank.landing};
    parts_ = 1;
  }
  void end_step() { round_ += parts_; }

  // Rounds of messages.

  /// The turn of this round, begun if it is not there yet.
  RankTurns& turns(std::uint32_t rank, std::uint32_t round) {
    RankTurns& own = plan_.ranks[rank];
    if (own.turns.empty() || own.turns.back().round < round)
      own.turns.push_back({round, static_cast<std::uint32_t>(own.ends.size()),
                           static_cast<std::uint32_t>(own.work.size())});
    return own;
  }

  void add_end(std::uint32_t rank, const MessageEnd& end) {
    RankTurns& own = turns(rank, round_ + ranks_[rank].part);
    own.ends.push_back(end);
    ++own.turns.back().ends_end;
    ++ranks_[rank].ends;
  }

  /// Both ends of each piece, in the first part of the step in which both ranks have room.
  void exchange(TransferId id) {
    const Transfer& t = schedule_[id];
    const auto from = t.src().rank.value, to = t.dst().rank.value;
    const Pieces pieces = layout_.pieces(t);
    const Pieces targets = is_direct(id) ? pieces : land(id, pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      meet(from, to);
      add_end(from, {true, to, pieces[i].src, pieces[i].bytes, id.value});
      add_end(to, {false, from, targets[i].dst, pieces[i].bytes, id.value});
    }
  }

  void meet(std::uint32_t from, std::uint32_t to) {
    for (const auto rank : {from, to})
      if (ranks_[rank].ends == most_) ++ranks_[rank].part, ranks_[rank].ends = 0;
    const auto part = std::max(ranks_[from].part, ranks_[to].part);
    for (const auto rank : {from, to})
      if (ranks_[rank].part < part) ranks_[rank].part = part, ranks_[rank].ends = 0;
    parts_ = std::max(parts_, part + 1);
  }

  /// What nothing of its own step has to come before may be received where it belongs; whatever
  /// came in earlier steps is over.
  bool is_direct(TransferId id) const {
    if (schedule_[id].action() != Action::copy) return false;
    const auto begin = schedule_.step_begin(schedule_.step(id));
    return std::ranges::none_of(schedule_.dependencies(id), [&](const Dependency& d) {
      return d.kind != DependencyKind::raw && d.on >= begin;
    });
  }

  /// The pieces with their targets in the landing area, which every step uses anew: there they lie
  /// as they will at their target, relative to the boundaries of vectors.
  Pieces land(TransferId id, const Pieces& pieces) {
    const auto rank = schedule_[id].dst().rank.value;
    Progress& progress = ranks_[rank];
    const auto shift = pieces.empty() ? 0 : pieces.front().dst.offset % cuda::boundary;
    const Place first{Area::landing, rank, progress.used + shift};
    landed_[id.value] = first;
    progress.used = cuda::rounded_up(first.offset + layout_.bytes(schedule_[id]));
    progress.landing = std::max(progress.landing, progress.used);
    return cuda::packed(pieces, &Piece::dst, first);
  }

  // What ranks do behind the messages of a step.

  void add_work(std::uint32_t rank, OperationKind kind, std::uint32_t transfer,
                const Pieces& pieces) {
    if (pieces.empty()) return;
    RankTurns& own = turns(rank, round_ + ranks_[rank].part);
    for (const Piece& piece : pieces) own.work.push_back({kind, transfer, piece});
    own.turns.back().work_end = static_cast<std::uint32_t>(own.work.size());
  }

  void do_by_itself(const host::Event& event) {
    const auto [id, phase] = event;
    const Transfer& t = schedule_[id];
    const auto rank = t.dst().rank.value;
    if (!t.is_local() && (phase == Phase::read || is_direct(id))) return;
    const auto kind = t.action() == Action::reduce ? OperationKind::reduce : OperationKind::copy;
    const Pieces pieces = layout_.pieces(t);
    if (t.is_local() && phase == Phase::whole)
      add_work(rank, kind, id.value, pieces);
    else if (phase == Phase::read)
      add_work(rank, OperationKind::copy, id.value, land(id, pieces));
    else
      add_work(rank, kind, id.value, cuda::packed(pieces, &Piece::src, landed_[id.value]));
  }

  // What ops need besides: mulsum scales the inputs before all else, avg divides in the end.

  void scale_inputs() {
    const auto given = schedule_.spec().in_place ? Area::output : Area::input;
    const auto target = schedule_.spec().in_place ? Area::output : Area::scaled;
    const auto bytes = layout_.vector_bytes();
    for (std::uint32_t r = 0; r < schedule_.spec().ranks && bytes > 0; ++r)
      add_work(r, OperationKind::scale, cuda::no_transfer, {{{target, r}, {}, {given, r}, bytes}});
    ++round_;
  }

  void divide_outputs() {
    begin_step();
    const auto totals = layout_.totals();
    for (std::uint32_t r = 0; r < totals.size(); ++r)
      add_work(r, OperationKind::divide, cuda::no_transfer, totals[r]);
  }

  std::uint32_t most_;
  const Schedule& schedule_;
  cuda::StreamLayout layout_;
  std::vector<Place> landed_;    // by transfer, while it is landed
  std::vector<Progress> ranks_;  // by rank
  std::uint32_t round_ = 0, parts_ = 1;
  GroupedPlan plan_;
};

template <typename T, typename End>
std::span<const T> share(const std::vector<T>& all, std::uint32_t begin, End end) {
  return std::span(all).subspan(begin, end - begin);
}

}  // namespace

std::span<const MessageEnd> RankTurns::ends_of(std::size_t turn) const {
  return share(ends, turn == 0 ? 0 : turns[turn - 1].ends_end, turns[turn].ends_end);
}

std::span<const LocalWork> RankTurns::work_of(std::size_t turn) const {
  return share(work, turn == 0 ? 0 : turns[turn - 1].work_end, turns[turn].work_end);
}

GroupedPlan plan_groups(const Work& work, std::uint32_t most_ends_a_group) {
  RS_ASSERT(work.schedule->agents() == 0, "a switch has no communicator");
  RS_ASSERT(most_ends_a_group > 0, "a group holds something");
  return Planner(work, most_ends_a_group).plan();
}

}  // namespace ringside::nccl
