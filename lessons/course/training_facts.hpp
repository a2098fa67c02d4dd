#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "lessons/course/amount.hpp"

// What a lesson may ask of training: steps of plain models, simulated.

namespace ringside::lessons {

struct TrainingFact {
  std::string_view name;
  std::vector<Unit> arguments;
  Unit unit = Unit::none;  ///< of what it gives
  std::string_view meaning;
  Result<double> (*of)(std::span<const double> arguments);
};
/// All there are, in the order of the guide.
std::span<const TrainingFact> training_facts();

}  // namespace ringside::lessons
