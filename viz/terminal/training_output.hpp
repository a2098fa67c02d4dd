#pragma once

#include <optional>
#include <string>

#include "core/schedule.hpp"
#include "core/units.hpp"
#include "lessons/training/training_run.hpp"

namespace ringside::terminal {

/// A training, and what is known of its all-reduce.
struct TrainingShown {
  const training::TrainingRun& run;
  std::string backend;                  ///< `host`
  std::string system{};                 ///< empty: nothing was simulated
  std::optional<Duration> simulated{};  ///< what the all-reduce of one step takes there
};

/// Before the first step: who learns what, and how.
std::string training_opening(const TrainingShown& shown);
/// The first step, phase by phase with its numbers; the loss curve; the verdicts.
std::string training_text(const TrainingShown& shown);
std::string training_json(const TrainingShown& shown);
std::string training_csv(const training::TrainingRun& run);

}  // namespace ringside::terminal
