#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/simulate.hpp"
#include "viz/scenario/system_options.hpp"
#include "viz/terminal/measuring.hpp"

namespace ringside::terminal {

/// What a simulated run of a schedule came to.
struct Predicted {
  Duration time{};
  std::string busiest_link{};  ///< of those that tie, the first
  std::size_t ties = 0;
  double share = 0;  ///< of the time that this link is busy
};

/// What the simulator says about schedules that really run, on the first N ranks of a system.
class Prediction {
 public:
  /// `system`: a shape, a preset, or a file, as --system takes it.
  static Result<Prediction> on(const std::string& system, std::uint32_t ranks);

  /// The same schedule on links as they are. Errors as of simulations.
  Result<Predicted> run(const Entrant& entrant, const Amount& amount);
  const std::string& system() const { return system_; }

 private:
  struct Prepared {
    std::unique_ptr<const sim::Topology> topology;  ///< with agents, where the plan has any
    std::unique_ptr<const sim::Simulator> simulator;
  };
  Prediction(std::string system, scenario::Machine machine)
      : system_(std::move(system)), machine_(std::move(machine)) {}
  Result<const Prepared*> prepared(const Entrant& entrant);

  std::string system_;
  scenario::Machine machine_;
  std::map<const Schedule*, Prepared> prepared_;  ///< looked up only: never walked
};

}  // namespace ringside::terminal
