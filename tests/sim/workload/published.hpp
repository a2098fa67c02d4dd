#pragma once

#include <string>
#include <vector>

#include "sim/systems.hpp"
#include "sim/workload/step.hpp"

// Training runs that others have measured and published, as the simulator is asked for them.

namespace ringside::sim::published {

/// One figure: what was measured, in the family's unit, and what it takes to simulate it.
struct Run {
  std::string what;  ///< `GPT 145.6B, tp 8 x pp 8`
  Model model;
  Parallelism parallelism;
  double measured = 0;
};

/// Runs of one source, on one kind of machine.
struct Family {
  std::string title, source, unit;
  std::string system, set;  ///< a preset; and one `--set`, or empty
  Gpu gpu;
  std::string achieved;  ///< what single GPU or machine `gpu.achieved` was measured on
  /// Of one run: samples/s in all its GPUs, to the family's unit.
  double (*in_unit)(const Run& run, double samples_per_second);
  std::vector<Run> runs;
  std::string explanation;  ///< of its errors
};

std::vector<Family> all();

/// The run's figure as the simulator has it.
Result<double> predict(const Family& family, const Run& run);

}  // namespace ringside::sim::published
