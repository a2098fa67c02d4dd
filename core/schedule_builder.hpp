#pragma once

#include <optional>
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
  /// transfer of the same step still needs (tell that one first).
  Result<Schedule> build() &&;

 private:
  void consume(std::span<const Transfer> block, Step step) override;

  Schedule schedule_;
  std::vector<std::uint32_t> step_of_;
};

}  // namespace ringside
