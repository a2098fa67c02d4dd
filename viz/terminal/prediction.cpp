#include "viz/terminal/prediction.hpp"

#include "sim/topology.hpp"

namespace ringside::terminal {

Result<Prediction> Prediction::on(const std::string& system, std::uint32_t ranks) {
  scenario::SystemOptions options;
  options.system = system;
  options.ranks = ranks;
  auto machine = read(options);
  if (!machine) {
    machine.error().message = "--predict: " + machine.error().message;
    return tl::unexpected<Error>(machine.error());
  }
  return Prediction(system, *std::move(machine));
}

Result<Duration> Prediction::time(const Entrant& entrant, const Amount& amount) {
  RS_ASSIGN(const sim::Simulator* const simulator, simulator(entrant));
  RS_ASSIGN(const auto simulation, simulator->run({amount.count, amount.type}, machine_.model));
  return simulation.time;
}

Result<const sim::Simulator*> Prediction::simulator(const Entrant& entrant) {
  const auto known = prepared_.find(entrant.schedule.get());
  if (known != prepared_.end()) return known->second.simulator.get();
  auto topology = std::make_unique<sim::Topology>(machine_.topology());
  if (const auto agents = entrant.plan.options.agents; agents > 0)
    RS_TRY(sim::place_agents(*topology, agents, entrant.plan.algorithm->in_switch));
  RS_ASSIGN(auto simulator, sim::Simulator::prepare(*entrant.schedule, *topology));
  auto kept = std::make_unique<const sim::Simulator>(std::move(simulator));
  const auto* const found = kept.get();
  prepared_[entrant.schedule.get()] = {std::move(topology), std::move(kept)};
  return found;
}

}  // namespace ringside::terminal
