#pragma once

#include <cstdint>
#include <vector>

#include "core/contributions.hpp"
#include "core/schedule.hpp"
#include "core/slot_history.hpp"
#include "sim/simulate.hpp"

namespace ringside::figure {

/// A transfer between two ranks that has begun and is not committed.
struct UnderWay {
  TransferId id;
  double progress = 0;  ///< 0: its first byte leaves; 1: its last byte is there, waiting to commit
};

/// How far `now` is from `from` to `to`, 0..1.
double fraction(TimePoint from, TimePoint to, TimePoint now);

/// What a run looks like at one time.
class Moment {
 public:
  TimePoint at;
  std::vector<UnderWay> under_way;  ///< by id

  /// Contents of a slot, as the schedule names it; empty if nothing was committed there yet.
  const Contributions& operator[](const Slot& slot) const;
  /// What a rank has of a chunk, for people: the output where written, else the input.
  const Contributions& shown(Rank rank, ChunkId chunk) const;

 private:
  friend class Story;
  explicit Moment(const Schedule& schedule) : index_(schedule), slots_(index_.size()) {}
  SlotIndex index_;
  std::vector<Contributions> slots_;
};

/// What every transfer carries, in the verifier's symbolic values: told once by the rule of the
/// step, then looked at in the order in which a simulation committed it. `schedule` must outlive
/// it. For schedules that people look at: every slot is copied once a step.
class Story {
 public:
  explicit Story(const Schedule& schedule);

  /// One value a chunk of the transfer.
  const std::vector<Contributions>& cargo(TransferId id) const { return carried_[id.value].cargo; }
  Moment at(TimePoint time, const sim::Simulation& simulation) const;
  /// Ranks that a finished slot of this collective holds contributions of: N where it reduces.
  std::uint32_t complete() const { return complete_; }

 private:
  struct Carried {
    std::vector<Contributions> cargo, operand;  ///< operand: only where it is not the target
  };
  void tell_step(Step step, Moment& now);
  void commit(TransferId id, Moment& now) const;

  const Schedule& schedule_;
  Moment start_;
  std::vector<Carried> carried_;
  std::uint32_t complete_ = 1;
};

}  // namespace ringside::figure
