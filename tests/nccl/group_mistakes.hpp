#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/nccl/grouped_plan.hpp"

namespace ringside::nccl {

/// A mistake that a planner or an executor of groups could make.
struct GroupMistake {
  std::string_view name;
  /// Makes it in one of the places that there are for it, which `seed` chooses. False: there is
  /// none.
  bool (*make)(GroupedPlan& plan, std::uint64_t seed);
  /// Of the places where it is made, how many must show it, in percent: some data hide it.
  std::uint64_t share = 100;
};

std::span<const GroupMistake> group_mistakes();

}  // namespace ringside::nccl
