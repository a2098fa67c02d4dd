#pragma once

#include <span>
#include <vector>

#include "core/trace.hpp"
#include "gpu/cuda/interpreter/tables.hpp"

namespace ringside::cuda::interpreter {

/// What thread blocks of one device stamped: instruction by instruction, task by task.
struct Stamped {
  std::span<const TaskName> tasks;
  std::span<const Stamp> stamps;
  std::int64_t ahead_ns = 0;  ///< of the clock that all devices' times are given in
};

/// One span a transfer, from the first begin of all: of all thread blocks that had a share in it,
/// from the first window to the last. What an instruction does of several transfers, it does at
/// once.
std::vector<Span> spans_of(const Schedule& schedule, const DeviceProgram& program,
                           std::span<const Stamped> devices);

}  // namespace ringside::cuda::interpreter
