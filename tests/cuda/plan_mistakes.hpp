#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gpu/cuda/stream_plan.hpp"

namespace ringside::cuda {

/// A mistake that a planner or an executor of streams could make.
struct PlanMistake {
  std::string_view name;
  /// Makes it in one of the places that there are for it, which `seed` chooses. False: there is
  /// none. Elements have 4 bytes.
  bool (*make)(StreamPlan& plan, std::uint64_t seed);
  /// In some places streams do the same all the same, as no other operation is near.
  bool may_be_harmless = false;
};

std::span<const PlanMistake> plan_mistakes();

}  // namespace ringside::cuda
