#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace.hpp"
#include "viz/stage/story.hpp"

namespace ringside::stage {

/// A transfer between two ranks that has begun and is not committed.
struct UnderWay {
  TransferId id;
  double progress = 0;  ///< 0: its first byte leaves; 1: its last byte is there, waiting to commit
  friend bool operator==(const UnderWay&, const UnderWay&) = default;
};

/// How far `now` is from `from` to `to`, 0..1.
double fraction(TimePoint from, TimePoint to, TimePoint now);

/// A story laid out in time: what is where at any moment, as the trace says. A function of time
/// alone: seeking backwards gives exactly what was there before. Schedule, story and spans must
/// outlive it.
class Timeline {
 public:
  Timeline(const Schedule& schedule, const Story& story, std::span<const Span> spans);

  TimePoint end() const { return end_; }  ///< the last commit
  /// By id. O(log transfers + those under way), or nearly.
  std::vector<UnderWay> under_way(TimePoint now) const;
  /// What a slot (as the schedule names it) holds: its last commit at or before `now`.
  Content at(const Slot& slot, TimePoint now) const;
  /// What a rank has of a chunk, for people: the output where written, else the input.
  Content shown(Rank rank, ChunkId chunk, TimePoint now) const;
  /// The last transfer that had written the slot by then; UINT32_MAX if none.
  TransferId writer(const Slot& slot, TimePoint now) const;

  /// When the first transfer of a step begins, and its last one is committed.
  TimePoint step_begin(Step step) const { return step_begin_[step.value]; }
  TimePoint step_end(Step step) const { return step_end_[step.value]; }
  /// The step of the latest transfer to begin at or before `now`; 0 before all.
  Step step_at(TimePoint now) const;
  /// Where a step forwards or back leads: the next or previous of the distinct step_end()s, sorted,
  /// with 0 before them. At an end: that end.
  TimePoint after(TimePoint now) const;
  TimePoint before(TimePoint now) const;

 private:
  struct Commit {
    TimePoint at;
    TransferId by;
    std::uint32_t nth;  // of its chunks
  };
  /// The last one of that slot by then; null if there was none.
  const Commit* last_commit(const Slot& slot, TimePoint now) const;

  const Schedule& schedule_;
  const Story& story_;
  std::span<const Span> spans_;
  SlotIndex index_;
  TimePoint end_;
  std::vector<std::uint32_t> first_commit_;  // by slot, into commits_
  std::vector<Commit> commits_;              // by slot, then time
  std::vector<TransferId> by_begin_;         // transfers between ranks
  std::vector<TimePoint> step_begin_, step_end_, stops_;
  Duration longest_;  // from a begin to its commit
};

}  // namespace ringside::stage
