#pragma once

#include <memory>
#include <optional>
#include <string>

#include "viz/stage/curves.hpp"
#include "viz/stage/forecast.hpp"
#include "viz/stage/practice.hpp"
#include "viz/stage/staged_run.hpp"

namespace ringside::stage {

/// Stages runs on a thread of its own, so that nobody waits: of requests that come while it works
/// only the latest is kept, and what has taken half a second by then is given up.
class Director {
 public:
  /// Whose run it is.
  enum class Part : std::uint8_t { lead, rival };

  Director();
  ~Director();
  Director(const Director&) = delete;
  Director& operator=(const Director&) = delete;

  void request(Part part, const scenario::Scenario& scenario, const Run& previous);
  /// A run that was recorded: stage_trace().
  void open(Part part, const std::string& trace);
  /// A run that is there already: it is taken like one that was asked for.
  void show(Part part, Run run);
  struct Delivery {
    Part part;
    Result<Run> run;
  };
  /// What is ready, oldest first; empty if nothing is.
  std::optional<Delivery> take();
  bool is_busy() const;
  /// Curves of the lead's scenario, as far as they have been computed.
  std::shared_ptr<const Curves> curves() const { return plotter_.latest(); }
  /// What training takes on the scenario's machine.
  void request(const scenario::Scenario& scenario, const Workload& workload) {
    forecaster_.request(scenario, workload);
  }
  std::shared_ptr<const Forecast> forecast() const { return forecaster_.latest(); }
  /// A small training, done here.
  void train(const Workload& workload) { trainee_.request(workload); }
  std::shared_ptr<const Practice> practice() { return trainee_.latest(); }
  bool is_training() const { return trainee_.is_busy(); }
  /// Until nothing is asked for any more: scripts and pictures wait here, the window never does.
  void wait();
  void wait_for_curves() { plotter_.wait(); }

 private:
  struct Work;
  std::unique_ptr<Work> work_;
  Plotter plotter_;
  Forecaster forecaster_;
  Trainee trainee_;
};

}  // namespace ringside::stage
