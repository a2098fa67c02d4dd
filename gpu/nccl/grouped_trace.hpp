#pragma once

#include <vector>

#include "core/trace.hpp"
#include "gpu/nccl/grouped_plan.hpp"

namespace ringside::nccl {

/// When a rank's turn was: its group began and was over, then its local work.
struct TurnTimes {
  TimePoint began, met, ended;
};

/// When each transfer was, as far as `times` (by rank, by turn) tell: messages of one group share
/// its times, and so does the work behind it. A transfer without bytes takes no time, once what it
/// depends on is there.
std::vector<Span> spans_of(const Schedule& schedule, const GroupedPlan& plan,
                           const std::vector<std::vector<TurnTimes>>& times);

}  // namespace ringside::nccl
