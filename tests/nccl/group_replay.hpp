#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/backend.hpp"
#include "gpu/nccl/grouped_plan.hpp"

namespace ringside::nccl {

/// A mistake made in a plan before it is run.
using GroupTamper = std::function<void(GroupedPlan&)>;

/// A backend whose ranks do what a plan says, in this process's memory. It does what NCCL does with
/// groups of sends and receives, knowing nothing of how they were planned: the messages of a pair
/// match in the order of the calls, a group is over when all of its messages are, and a rank's
/// stream does one thing after the other. Ranks get on in any order, that of `seed`.
std::unique_ptr<Backend> make_group_replay(std::uint64_t seed, std::uint32_t most = most_ends,
                                           GroupTamper tamper = {});

}  // namespace ringside::nccl
