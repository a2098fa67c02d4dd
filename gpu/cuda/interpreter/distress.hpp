#pragma once

#include <span>
#include <string>

#include "core/schedule.hpp"
#include "gpu/cuda/interpreter/tables.hpp"

namespace ringside::cuda::interpreter {

/// One sentence on the thread block that had waited longest when all gave up: its rank, the
/// transfer it was at, what it waited for and of whom. `distress` has one entry for each of
/// `tasks`.
std::string describe(std::span<const Distress> distress, std::span<const TaskName> tasks,
                     const Tables& tables, const Schedule& schedule);

}  // namespace ringside::cuda::interpreter
