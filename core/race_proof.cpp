#include "core/race_proof.hpp"

#include <algorithm>

#include "core/event_order.hpp"
#include "core/slot_history.hpp"

namespace ringside {
namespace {

/// Retells the schedule and asks, at each access, whether its order with earlier ones is forced.
class RaceProof {
 public:
  RaceProof(const Schedule& schedule, std::size_t limit)
      : schedule_(schedule),
        order_(schedule),
        limit_(limit),
        index_(schedule),
        history_(index_.size()) {}

  std::vector<Violation> run() && {
    for (std::uint32_t s = 0; s < schedule_.steps() && found_.size() < limit_; ++s) {
      const auto begin = schedule_.step_begin({s}).value, end = schedule_.step_end({s}).value;
      for (auto id = begin; id < end; ++id) read({id});
      for (auto id = begin; id < end; ++id) write({id});
    }
    std::stable_sort(found_.begin(), found_.end(), [](const Violation& a, const Violation& b) {
      return a.transfer < b.transfer;
    });
    if (found_.size() > limit_) found_.resize(limit_);
    return std::move(found_);
  }

 private:
  void require(TransferId me, TransferId on, DependencyKind kind, Slot slot) {
    if (on.value == SlotHistory::nobody || on == me) return;
    if (!order_.holds(me, {on, kind})) report(me, on, slot);
  }

  void report(TransferId me, TransferId other, Slot slot) {
    const bool known = !found_.empty() && found_.back().transfer == me &&
                       found_.back().other == other;  // once a pair, not once a chunk
    if (!known) found_.push_back({ViolationKind::race, slot, me, other, {}, {}});
  }

  void read(TransferId me) {
    const Transfer& t = schedule_[me];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto src = index_(t.src(), i), with = index_(t.with(), i);
      require(me, {history_.writer(src)}, DependencyKind::raw, nth(t.src(), i));
      history_.used(src, me.value, false);
      if (!t.has_separate_operand()) continue;
      require(me, {history_.writer(with)}, DependencyKind::waw, nth(t.with(), i));
      history_.used(with, me.value, true);
    }
  }

  void write(TransferId me) {
    const Transfer& t = schedule_[me];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const Slot dst = nth(t.dst(), i);
      const auto at = index_(dst);
      require(me, {history_.writer(at)}, DependencyKind::waw, dst);
      history_.for_each_use(at, [&](const SlotHistory::Use& use) {
        require(me, {use.by}, use.as_operand ? DependencyKind::waw : DependencyKind::war, dst);
      });
    }
    for (std::uint32_t i = 0; i < t.chunks(); ++i) history_.written(index_(t.dst(), i), me.value);
    if (overwrites_own_operand(t)) report(me, me, t.dst());
  }

  /// dst[i+1] may be written before with[i+1] is used: no executor owes an order within a message.
  static bool overwrites_own_operand(const Transfer& t) {
    const auto with = std::uint64_t{t.with().chunk.value}, dst = std::uint64_t{t.dst().chunk.value};
    return t.has_separate_operand() && t.with().buffer == t.dst().buffer &&
           with < dst + t.chunks() && dst < with + t.chunks();
  }

  const Schedule& schedule_;
  EventOrder order_;
  std::size_t limit_;
  SlotIndex index_;
  SlotHistory history_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> prove_no_race(const Schedule& schedule, std::size_t limit) {
  return RaceProof(schedule, limit).run();
}

}  // namespace ringside
