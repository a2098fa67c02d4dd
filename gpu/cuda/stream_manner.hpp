#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule.hpp"
#include "gpu/cuda/stream_plan.hpp"

namespace ringside::cuda {

/// How a transfer goes about its two events. Within a step all that is read is enqueued before what
/// is written late, so that no stream has to receive before it sends.
enum class Manner : std::uint8_t {
  at_once,    ///< one operation reads and commits
  in_slices,  ///< read, brought over and committed slice by slice: nothing of its step minds
  late,       ///< read into a landing area; commits when all of its step have read
};

/// By transfer. Late is what must not commit before another transfer of its step has read or
/// committed that is not done at once either; and what overlaps its own source.
std::vector<Manner> manners(const Schedule& schedule, const Placement& placement);

/// Between two devices that do not reach each other.
bool is_staged(const Transfer& transfer, const Placement& placement);
bool is_on_one_device(const Transfer& transfer, const Placement& placement);

}  // namespace ringside::cuda
