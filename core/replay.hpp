#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/schedule.hpp"
#include "core/slot_history.hpp"

namespace ringside {

/// What one slot holds: whose parts, and the number they add up to.
struct Content {
  /// How often rank r's part is in it, by rank; a right all-reduce ends with all ones.
  std::vector<std::uint16_t> contributions;
  double value = 0;
  std::uint32_t contributors() const;  ///< ranks with at least one part
};

/// The number rank r starts with in chunk c: (r+2) 10^c, so that digits show who contributed to
/// what (c counts modulo 5).
double demonstration_value(Rank rank, ChunkId chunk);

/// Walks a schedule forwards and backwards: what every slot holds after the first k transfers were
/// told, by the rule of the step. For small schedules that people look at: every position is
/// computed from a snapshot before its step.
class Replay {
 public:
  explicit Replay(const Schedule& schedule);

  std::uint32_t length() const;  ///< positions are 0 .. length() transfers done
  std::uint32_t position() const { return position_; }
  void seek(std::uint32_t position);
  /// Empty: nothing was ever written there. `slot` as the schedule names it (in place: output).
  const std::optional<Content>& at(const Slot& slot) const;

 private:
  using State = std::vector<std::optional<Content>>;
  void apply_step(State& state, std::uint32_t begin, std::uint32_t end) const;

  const Schedule& schedule_;
  SlotIndex index_;
  std::vector<State> before_step_;  // one a step, and the last: the end
  State now_;
  std::uint32_t position_ = 0;
};

}  // namespace ringside
