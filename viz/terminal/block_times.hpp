#pragma once

#include <string>
#include <vector>

#include "core/formats/schedule_file.hpp"
#include "sim/blocks.hpp"
#include "viz/scenario/contest.hpp"

namespace ringside::terminal {

/// What an MSCCL program takes as its thread blocks run it, in place of what links alone allow.
class BlockTimes {
 public:
  /// `protocol` instead of the file's own; empty: that. Errors: a protocol that is none, GPUs
  /// without figures for thread blocks.
  static Result<BlockTimes> on(const scenario::Machine& machine, const ScheduleFile& file,
                               const std::string& protocol);
  /// The row says that time and protocol; links are no longer what it waits for. False where the
  /// program hangs at this size: notes() says why.
  bool retime(scenario::Contest::Run& run);
  /// What hangs, and which sizes a runtime would not pick the file for.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  BlockTimes(MscclAlgorithm algorithm, sim::BlockFigures figures)
      : algorithm_(std::move(algorithm)), figures_(figures) {}

  MscclAlgorithm algorithm_;
  sim::BlockFigures figures_;
  std::vector<std::string> notes_;
  bool is_outside_ = false;
};

}  // namespace ringside::terminal
