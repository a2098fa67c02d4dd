#include "viz/terminal/prediction.hpp"

#include "sim/topology.hpp"

namespace ringside::terminal {

Result<Prediction> Prediction::on(const std::string& system, std::uint32_t ranks) {
  scenario::SystemOptions options;
  options.system = system;
  options.ranks = ranks;
  RS_ASSIGN(auto machine, read(options));
  return Prediction(system, std::move(machine));
}

Result<Predicted> Prediction::run(const Entrant& entrant, const Amount& amount) {
  RS_ASSIGN(const Prepared* const on, prepared(entrant));
  RS_ASSIGN(const auto simulation, on->simulator->run({amount.count, amount.type}, machine_.model));
  Predicted predicted{.time = simulation.time};
  const auto busiest = sim::busiest(simulation);
  if (busiest.links.empty()) return predicted;
  predicted.busiest_link = on->topology->link_name(busiest.links.front());
  predicted.ties = busiest.links.size() - 1;
  predicted.share = busiest.share;
  return predicted;
}

Result<const Prediction::Prepared*> Prediction::prepared(const Entrant& entrant) {
  const auto known = prepared_.find(entrant.schedule.get());
  if (known != prepared_.end()) return &known->second;
  auto topology = std::make_unique<sim::Topology>(machine_.topology());
  if (const auto agents = entrant.plan.options.agents; agents > 0)
    RS_TRY(sim::place_agents(*topology, agents, entrant.plan.algorithm->in_switch));
  RS_ASSIGN(auto simulator, sim::Simulator::prepare(*entrant.schedule, *topology));
  auto& kept = prepared_[entrant.schedule.get()];
  kept = {std::move(topology), std::make_unique<const sim::Simulator>(std::move(simulator))};
  return &kept;
}

}  // namespace ringside::terminal
