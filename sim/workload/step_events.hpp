#pragma once

#include <string>

#include "sim/workload/step.hpp"

namespace ringside::sim {

/// Whose step it is, for people; `version` and `command`: who wrote this, and asked for what.
struct StepTitle {
  const Model& model;
  const Parallelism& parallelism;
  std::string machine{}, version{}, command{};
};

/// A step's timeline in the Trace Event Format (the JSON that Perfetto and Chrome's tracing open):
/// a stage is a process, named by its GPUs, a stream that does anything is a thread of it, a span a
/// slice ("B", "E") with its layer and micro-batch. Times are microseconds with three decimals,
/// rounded down.
std::string step_events(const TrainingStep& step, const StepTitle& title);

}  // namespace ringside::sim
