#pragma once

#include <vector>

#include "core/program_run.hpp"

namespace ringside {

/// A program's story, and which instructions each of its transfers comes from.
struct Lifted {
  Schedule schedule;
  std::vector<Executed> read, commit;  ///< by TransferId
};

/// `execution` must have ended. An error only where the story is too large for a schedule.
Result<Lifted> lift(const Program& program, const LaneTable& lanes, const Execution& execution);

}  // namespace ringside
