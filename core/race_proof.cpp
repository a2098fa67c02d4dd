#include "core/race_proof.hpp"

#include <algorithm>

#include "core/event_order.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t nobody = UINT32_MAX;

/// Retells the schedule and asks, at each access, whether its order with earlier ones is forced.
class RaceProof {
 public:
  RaceProof(const Schedule& schedule, std::size_t limit)
      : schedule_(schedule),
        order_(schedule),
        limit_(limit),
        per_rank_(2 * std::size_t{schedule.chunks()} + schedule.scratch_chunks()),
        writer_(schedule.participants() * per_rank_, nobody),
        newest_use_(writer_.size(), nobody) {}

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
  /// Someone used a slot's value: as a source (until its read) or as an operand (until its commit).
  struct Use {
    TransferId by;
    std::uint32_t older;
    bool as_operand;
  };

  std::size_t index(const Slot& slot) const {
    return slot.rank.value * per_rank_ +
           static_cast<std::size_t>(slot.buffer) * schedule_.chunks() + slot.chunk.value;
  }

  void require(TransferId me, TransferId on, DependencyKind kind, Slot slot) {
    if (on.value == nobody || on == me) return;
    if (!order_.holds(me, {on, kind})) report(me, on, slot);
  }

  void report(TransferId me, TransferId other, Slot slot) {
    const bool known = !found_.empty() && found_.back().transfer == me &&
                       found_.back().other == other;  // once a pair, not once a chunk
    if (!known) found_.push_back({ViolationKind::race, slot, me, other, {}, {}});
  }

  void use(std::size_t at, TransferId by, bool as_operand) {
    uses_.push_back({by, newest_use_[at], as_operand});
    newest_use_[at] = static_cast<std::uint32_t>(uses_.size()) - 1;
  }

  void read(TransferId me) {
    const Transfer& t = schedule_[me];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const Slot src = nth(t.src(), i), with = nth(t.with(), i);
      require(me, {writer_[index(src)]}, DependencyKind::raw, src);
      use(index(src), me, false);
      if (!t.has_separate_operand()) continue;
      require(me, {writer_[index(with)]}, DependencyKind::waw, with);
      use(index(with), me, true);
    }
  }

  void write(TransferId me) {
    const Transfer& t = schedule_[me];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const Slot dst = nth(t.dst(), i);
      const auto at = index(dst);
      require(me, {writer_[at]}, DependencyKind::waw, dst);
      for (auto u = newest_use_[at]; u != nobody; u = uses_[u].older)
        require(me, uses_[u].by, uses_[u].as_operand ? DependencyKind::waw : DependencyKind::war,
                dst);
    }
    for (std::uint32_t i = 0; i < t.chunks(); ++i) {
      const auto at = index(nth(t.dst(), i));
      writer_[at] = me.value;
      newest_use_[at] = nobody;
    }
    if (overwrites_own_operand(t)) report(me, me, t.dst());
  }

  /// dst[i+1] may be written before with[i+1] is used: no executor owes an order within a message.
  static bool overwrites_own_operand(const Transfer& t) {
    const auto with = std::uint64_t{t.with().chunk.value}, dst = std::uint64_t{t.dst().chunk.value};
    return t.has_separate_operand() && t.with().buffer == t.dst().buffer &&
           with < dst + t.chunks() && dst < with + t.chunks();
  }

  static Slot nth(Slot slot, std::uint32_t i) {
    slot.chunk.value += i;
    return slot;
  }

  const Schedule& schedule_;
  EventOrder order_;
  std::size_t limit_, per_rank_;
  std::vector<std::uint32_t> writer_, newest_use_;
  std::vector<Use> uses_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> prove_no_race(const Schedule& schedule, std::size_t limit) {
  return RaceProof(schedule, limit).run();
}

}  // namespace ringside
