#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/host/faults.hpp"
#include "gpu/host/rank_plan.hpp"

namespace ringside::host {
namespace {

/// A mistake in the plan of one participant.
class Spoiler {
 public:
  Spoiler(RankPlan& plan, std::uint32_t victim, std::size_t element)
      : plan_(plan), victim_(victim), element_(element) {}

  bool spoil(Fault fault) {
    switch (fault) {
      case Fault::skipped_wait:
      case Fault::early_wait:
        return hurry(fault == Fault::early_wait ? 1 : UINT32_MAX);
      case Fault::unsplit_exchange:
        return unsplit();
      case Fault::lost_rank:
        return !std::exchange(moves(), {}).empty();
      default:
        return spoil_move(fault);
    }
  }

 private:
  std::vector<Move>& moves() { return plan_.moves[victim_]; }
  std::vector<Piece>& pieces() { return plan_.pieces[victim_]; }
  std::uint32_t first_piece(std::size_t move) {
    return move == 0 ? 0 : moves()[move - 1].pieces_end;
  }
  bool moves_data(std::size_t move) { return moves()[move].pieces_end > first_piece(move); }

  bool fits(Fault fault, std::size_t move) {
    if (!moves_data(move)) return false;
    const bool lands = moves()[move].event.phase == Phase::read;
    if (fault == Fault::stale_room) return lands;
    if (fault == Fault::copied_for_reduced || fault == Fault::doubled_operation)
      return moves()[move].reduces;
    return fault == Fault::swapped_chunk || fault == Fault::missed_tail ||
           fault == Fault::off_by_one || fault == Fault::lost_operation;
  }

  /// In the last move that is fit for it.
  bool spoil_move(Fault fault) {
    for (auto move = moves().size(); move-- > 0;)
      if (fits(fault, move)) return spoil_piece(fault, move);
    return false;
  }

  bool spoil_piece(Fault fault, std::size_t move) {
    const auto at = first_piece(move);
    Piece& piece = pieces()[at];
    switch (fault) {
      case Fault::swapped_chunk:
        return swap_source(piece);
      case Fault::missed_tail:
        return --piece.elements, true;
      case Fault::off_by_one:
        return piece.target += element_, --piece.elements, true;
      case Fault::copied_for_reduced:
        return moves()[move].reduces = false, true;
      case Fault::doubled_operation: {
        auto again = piece;
        again.with = again.target;
        add_piece(victim_, move, at + 1, again);
        return true;
      }
      default:
        return piece.elements = 0, true;
    }
  }

  bool swap_source(Piece& piece) {
    for (const Piece& other : pieces())
      if (other.source != piece.source && other.source != piece.target &&
          other.elements >= piece.elements)
        return piece.source = other.source, true;
    return false;
  }

  void add_piece(std::uint32_t participant, std::size_t move, std::uint32_t at, Piece piece) {
    auto& list = plan_.pieces[participant];
    list.insert(list.begin() + at, piece);
    auto& all = plan_.moves[participant];
    for (auto m = move; m < all.size(); ++m) ++all[m].pieces_end;
  }

  /// The first wait is for `by` moves less, and who is waited for takes its time.
  bool hurry(std::uint32_t by) {
    for (Move& move : moves()) {
      const auto index = static_cast<std::size_t>(&move - moves().data());
      const auto begin = index == 0 ? 0 : moves()[index - 1].waits_end;
      if (begin == move.waits_end || !moves_data(index)) continue;
      const Wait wait = plan_.waits[victim_][begin];
      if (wait.moves > by)
        plan_.waits[victim_][begin].moves -= by;
      else
        forget_wait(index, begin);
      slow_down(wait.participant, wait.moves - 1);
      return true;
    }
    return false;
  }

  void forget_wait(std::size_t move, std::uint32_t at) {
    plan_.waits[victim_].erase(plan_.waits[victim_].begin() + at);
    for (auto m = move; m < moves().size(); ++m) --moves()[m].waits_end;
  }

  /// By copying what nobody needs.
  void slow_down(std::uint32_t participant, std::size_t move) {
    constexpr std::size_t bytes = 4 << 20;
    auto& useless = plan_.scratch.emplace_back(2 * bytes);
    const auto at = move == 0 ? 0 : plan_.moves[participant][move - 1].pieces_end;
    add_piece(participant, move, at,
              {useless.data(), useless.data(), useless.data() + bytes, bytes / element_});
  }

  bool unsplit() {
    for (std::size_t commit = 0; commit < moves().size(); ++commit)
      for (std::size_t read = 0; read < commit; ++read) {
        const auto &late = moves()[commit].event, &early = moves()[read].event;
        if (late.phase != Phase::commit || early.phase != Phase::read) continue;
        if (late.transfer != early.transfer || !moves_data(commit) || !moves_data(read)) continue;
        pieces()[first_piece(commit)].source = pieces()[first_piece(read)].source;
        return true;
      }
    return false;
  }

  RankPlan& plan_;
  std::uint32_t victim_;
  std::size_t element_;
};

}  // namespace

bool spoil(RankPlan& plan, Fault fault, std::size_t element) {
  if (fault == Fault::none) return false;
  for (auto victim = static_cast<std::uint32_t>(plan.moves.size()); victim-- > 0;)
    if (Spoiler(plan, victim, element).spoil(fault)) return true;
  return false;
}

}  // namespace ringside::host
