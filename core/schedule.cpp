#include "core/schedule.hpp"

#include <algorithm>

namespace ringside {

Step Schedule::step(TransferId id) const {
  const auto after = std::upper_bound(step_begin_.begin(), step_begin_.end(), id.value);
  return {static_cast<std::uint32_t>(after - step_begin_.begin()) - 1};
}

std::string describe(TransferId id, const Schedule& schedule) {
  return "transfer " + std::to_string(id.value) + " (step " +
         std::to_string(schedule.step(id).value) + ")";
}

Schedule Schedule::with_dependency_dropped(TransferId id, std::size_t nth) const {
  Schedule mutant = *this;
  const auto at = dependency_begin_[id.value] + nth;
  mutant.dependencies_.erase(mutant.dependencies_.begin() + static_cast<std::ptrdiff_t>(at));
  for (std::size_t t = id.value + 1; t < mutant.dependency_begin_.size(); ++t)
    --mutant.dependency_begin_[t];
  return mutant;
}

}  // namespace ringside
