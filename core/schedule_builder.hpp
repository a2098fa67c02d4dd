#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/schedule.hpp"
#include "core/transfer_sink.hpp"

namespace ringside {

/// Stores a told story and derives its dependencies from the rule of the step (TransferSink).
/// In place, input slots are renamed to the output slots they share before anything is derived.
class ScheduleBuilder final : public TransferSink {
 public:
  /// `chunks` of the whole vector; `agents` extra ranks in switches.
  ScheduleBuilder(const CollectiveSpec& spec, std::uint32_t chunks, std::uint32_t agents = 0);

  /// The schedule, or the first thing in the story that cannot be one: chunks that are no multiple
  /// of the ranks where blocks are cut into chunks, a rank, chunk or channel out of range, an
  /// out-of-place write to an input, or a step that overwrites a separate operand which a later
  /// transfer of the same step still needs (tell that one first). Also, before memory is exhausted,
  /// a story too long to keep: more than 2^25 transfers (2^27, each counted once a chunk), or more
  /// than 2^26 slots.
  Result<Schedule> build() &&;
  /// The same of what `tell` tells. A story that will not fit is refused before it is told (slots)
  /// or as soon as it has grown too long.
  Result<Schedule> build(const std::function<void(TransferSink&)>& tell) &&;

 private:
  void consume(std::span<const Transfer> block, Step step) override;
  std::string who() const;
  tl::unexpected<Error> too_many(const std::string& count, std::string_view what,
                                 std::uint64_t most) const;
  bool too_long() const;
  Result<void> check_size() const;
  Result<void> check_slots();
  Result<void> derive();

  Schedule schedule_;
  std::vector<std::uint32_t> step_of_;
  bool interrupts_ = false;              ///< a story that has grown too long
  std::uint64_t told_ = 0, visits_ = 0;  ///< transfers, and chunks in them, kept or not
};

}  // namespace ringside
