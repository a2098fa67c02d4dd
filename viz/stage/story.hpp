#pragma once

#include <cstdint>
#include <memory>

#include "core/ids.hpp"
#include "core/schedule.hpp"
#include "core/slot_history.hpp"

namespace ringside::stage {

/// Names one multiset of contributions among all that occur in a run: equal sets, equal ids. 0 is
/// nothing.
using PartsId = Id<struct PartsTag>;

/// What a slot holds or a transfer carries: whose parts, and the number they add up to (from
/// core/replay.hpp's demonstration_value()).
struct Content {
  PartsId parts;
  double value = 0;
  bool empty() const { return parts.value == 0; }
  friend bool operator==(const Content&, const Content&) = default;
};

/// What every transfer of a schedule carries and leaves behind, told once by the rule of the step.
/// Random access afterwards: nothing is replayed. The schedule must outlive it. Made for 256 ranks
/// x 256 chunks in well under a second.
class Story {
 public:
  explicit Story(const Schedule& schedule);
  ~Story();
  Story(Story&&) noexcept;

  Content start(const Slot& slot) const;  ///< before anything happened
  /// The i-th of the transfer's chunks: on its way, and in its target once committed.
  Content cargo(TransferId id, std::uint32_t i = 0) const;
  Content result(TransferId id, std::uint32_t i = 0) const;

  std::uint32_t count(PartsId parts) const;  ///< ranks with at least one part
  bool contains(PartsId parts, Rank rank) const;
  bool repeats(PartsId parts) const;  ///< some rank's part is in it more than once
  /// The chunk that a value is of: the first of a mixture, 0 of nothing.
  ChunkId chunk(PartsId parts) const;
  /// Ranks that a finished slot holds parts of: N where the collective reduces, else 1.
  std::uint32_t complete() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace ringside::stage
