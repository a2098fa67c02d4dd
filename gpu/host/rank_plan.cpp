#include "gpu/host/rank_plan.hpp"

#include <algorithm>

#include "core/binding.hpp"
#include "core/message.hpp"
#include "gpu/host/buffers.hpp"

namespace ringside::host {
namespace {

class RankPlanner {
 public:
  RankPlanner(const Work& work, const Memory& memory)
      : schedule_(*work.schedule),
        buffers_{memory, layout_of(work), size_of(work.type).count},
        order_(linear_order(schedule_)),
        read_at_(schedule_.transfers().size()),
        committed_at_(schedule_.transfers().size()) {
    const auto n = schedule_.participants();
    for (auto* lists : {&plan_.scratch, &plan_.landing}) lists->resize(n);
    plan_.moves.resize(n);
    plan_.waits.resize(n);
    plan_.pieces.resize(n);
    known_.assign(n, {});
    for (auto& scratch : plan_.scratch) scratch.resize(schedule_.scratch_chunks() * room());
    const bool scales = reduces(schedule_.spec().kind) && work.op == ReduceOp::mulsum;
    if (scales && !schedule_.spec().in_place)
      for (const auto& buffers : memory.ranks) plan_.scaled.emplace_back(buffers.input.size());
  }

  RankPlan plan() && {
    make_landing_areas();
    for (const Event& event : order_) add(event);
    return std::move(plan_);
  }

 private:
  std::size_t room() const { return buffers_.layout.longest() * buffers_.element; }
  std::size_t message_bytes(const Transfer& t) const {
    return message_elements(t, buffers_.layout) * buffers_.element;
  }

  /// A message lands behind those of its step that are split too; the next step starts anew.
  void make_landing_areas() {
    landing_.resize(schedule_.transfers().size());
    std::vector<std::size_t> used(plan_.landing.size());
    std::vector<std::uint32_t> touched;
    std::uint32_t step_end = 0;
    for (const Event& event : order_) {
      if (event.phase != Phase::read) continue;
      if (event.transfer.value >= step_end) {
        for (const auto rank : touched) used[rank] = 0;
        touched.clear();
        step_end = schedule_.step_end(schedule_.step(event.transfer)).value;
      }
      const Transfer& t = schedule_[event.transfer];
      const auto rank = t.dst().rank.value;
      landing_[event.transfer.value] = used[rank];
      used[rank] += message_bytes(t);
      touched.push_back(rank);
      auto& area = plan_.landing[rank];
      area.resize(std::max(area.size(), used[rank]));
    }
  }

  void add(const Event& event) {
    const Transfer& t = schedule_[event.transfer];
    const auto me = t.dst().rank.value;
    add_waits(event, me);
    auto& moves = plan_.moves[me];
    const auto at = static_cast<std::uint32_t>(moves.size()) + 1;
    if (event.phase != Phase::commit) read_at_[event.transfer.value] = at;
    if (event.phase != Phase::read) committed_at_[event.transfer.value] = at;
    add_pieces(event);
    moves.push_back({event, t.action() == Action::reduce && event.phase != Phase::read,
                     static_cast<std::uint32_t>(plan_.waits[me].size()),
                     static_cast<std::uint32_t>(plan_.pieces[me].size())});
  }

  void add_waits(const Event& event, std::uint32_t me) {
    for (const Dependency& d : schedule_.dependencies(event.transfer)) {
      const bool concerns_read = d.kind == DependencyKind::raw;
      if (concerns_read ? event.phase == Phase::commit : event.phase == Phase::read) continue;
      const auto other = schedule_[d.on].dst().rank.value;
      const auto moves =
          d.kind == DependencyKind::war ? read_at_[d.on.value] : committed_at_[d.on.value];
      if (other == me) continue;  // went before in the same list
      auto& known = known_of(me, other);
      if (known >= moves) continue;
      known = moves;
      plan_.waits[me].push_back({other, moves, d.on});
    }
  }

  /// How many of other's moves `me` has waited for already. Few pairs ever talk.
  std::uint32_t& known_of(std::uint32_t me, std::uint32_t other) {
    auto& known = known_[me];
    const auto found = std::ranges::find(known, other, &Wait::participant);
    return found != known.end() ? found->moves : known.emplace_back(Wait{other, 0, {}}).moves;
  }

  std::byte* at(const Slot& slot) {
    const auto rank = slot.rank.value;
    if (slot.buffer == Buffer::scratch)
      return plan_.scratch[rank].data() + slot.chunk.value * room();
    if (slot.buffer == Buffer::input && !plan_.scaled.empty())
      return plan_.scaled[rank].data() + buffers_.layout.offset(slot.chunk) * buffers_.element;
    return buffers_.at(slot);
  }

  void add_pieces(const Event& event) {
    const Transfer& t = schedule_[event.transfer];
    const auto me = t.dst().rank.value;
    auto* landing = plan_.landing[me].data() + landing_[event.transfer.value];
    const auto first = plan_.pieces[me].size();
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto elements = slot_elements(t, i, buffers_.layout);
      Piece piece{at(nth(t.dst(), i)), at(nth(t.with(), i)), at(nth(t.src(), i)), elements};
      if (event.phase == Phase::read) piece.target = landing;
      if (event.phase == Phase::read) piece.with = landing;
      if (event.phase == Phase::commit) piece.source = landing;
      landing += elements * buffers_.element;
      append(plan_.pieces[me], piece, first);
    }
    if (last_chunk_first(t))
      std::reverse(plan_.pieces[me].begin() + static_cast<std::ptrdiff_t>(first),
                   plan_.pieces[me].end());
  }

  /// Grows the last piece if this one continues it everywhere.
  void append(std::vector<Piece>& pieces, const Piece& piece, std::size_t first) const {
    if (piece.elements == 0) return;
    if (pieces.size() > first) {
      Piece& last = pieces.back();
      const auto bytes = last.elements * buffers_.element;
      const bool overlaps = last.with != last.target &&
                            last.with < last.target + bytes + piece.elements * buffers_.element &&
                            last.target < last.with + bytes + piece.elements * buffers_.element;
      if (last.target + bytes == piece.target && last.with + bytes == piece.with &&
          last.source + bytes == piece.source && !overlaps) {
        last.elements += piece.elements;
        return;
      }
    }
    pieces.push_back(piece);
  }

  const Schedule& schedule_;
  Buffers buffers_;
  std::vector<Event> order_;
  std::vector<std::uint32_t> read_at_, committed_at_;  // by transfer: after so many moves
  std::vector<std::size_t> landing_;                   // by transfer: bytes into the landing area
  std::vector<std::vector<Wait>> known_;               // by participant
  RankPlan plan_;
};

}  // namespace

RankPlan plan_ranks(const Work& work, const Memory& memory) {
  return RankPlanner(work, memory).plan();
}

}  // namespace ringside::host
