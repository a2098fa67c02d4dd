#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/workload/scaling.hpp"
#include "viz/scenario/scenario.hpp"
#include "viz/stage/step_lanes.hpp"
#include "viz/stage/training.hpp"

namespace ringside::stage {

/// What training takes on a machine, as far as it has been computed. Immutable.
struct Forecast {
  std::string gpu;  ///< its name
  Bytes gpu_memory{};
  /// Two nodes, or one where all GPUs lie in it: every wire there is, for the controls.
  std::shared_ptr<const sim::Topology> machine;
  std::optional<sim::ScalingPoint> step;  ///< on Workload::gpus GPUs
  StepLanes lanes;                        ///< of that step; empty where it does not run
  std::optional<sim::ScalingCurve> curve;
  std::string no_step, no_curve;  ///< why there is none, one sentence each; else empty
  bool is_complete = false;       ///< false while more is to come
};

/// Simulates the step, then the curve; `publish` gets what is there after each and says whether to
/// go on; it is asked before every number of GPUs, too, with null. Never fails: refusals are part
/// of a forecast.
void forecast(const scenario::Scenario& scenario, const Workload& workload,
              const std::function<bool(const Forecast*)>& publish);

/// Forecasts on a thread of its own. What has been asked for last comes next; what is at work is
/// done first, so that a slider which moves without pause shows something.
class Forecaster {
 public:
  Forecaster();
  ~Forecaster();
  Forecaster(const Forecaster&) = delete;
  Forecaster& operator=(const Forecaster&) = delete;

  /// Nothing happens where the forecast would stay the same. The old one stays, no longer complete,
  /// until there is a new one.
  void request(const scenario::Scenario& scenario, const Workload& workload);
  /// Null until there is any. The same pointer until there is more to show.
  std::shared_ptr<const Forecast> latest() const;
  void wait();  ///< until it is complete

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace ringside::stage
