#include "viz/stage/laboratory.hpp"

#include <map>

#include "viz/scenario/contest.hpp"

namespace ringside::stage {

struct Shelf::Places {
  struct Place {
    Run run;
    lessons::ExperimentPtr experiment;
  };
  std::map<std::string, Place, std::less<>> by_share;

  Result<Place> at(const std::string& share) {
    if (const auto found = by_share.find(share); found != by_share.end()) return found->second;
    RS_ASSIGN(const scenario::Share read, scenario::parse_share_string(share));
    RS_ASSIGN(const Run run, stage_run(read.scenario));
    return by_share[share] = {run, stage::experiment(run)};
  }
};

lessons::ExperimentPtr experiment(const Run& run) {
  auto made = std::make_shared<lessons::Experiment>();
  made->row = run->row;
  made->schedule = run->schedule;
  made->topology = run->topology;
  made->payload = run->payload;
  made->spans = run->spans;
  made->links = run->links;
  made->time = run->time();
  return made;
}

Shelf::Shelf() : places_(std::make_shared<Places>()) {}

Result<Run> Shelf::run(const std::string& share) const {
  RS_ASSIGN(const auto place, places_->at(share));
  return place.run;
}

lessons::Laboratory Shelf::laboratory() const {
  const auto run = [places = places_](const std::string& share) -> Result<lessons::ExperimentPtr> {
    RS_ASSIGN(const auto place, places->at(share));
    return place.experiment;
  };
  const auto run_own = [](std::shared_ptr<const Schedule> schedule,
                          const std::string& share) -> Result<lessons::ExperimentPtr> {
    RS_ASSIGN(const scenario::Share read, scenario::parse_share_string(share));
    RS_ASSIGN(const auto machine, scenario::read(read.scenario.system));
    RS_ASSIGN(const Bytes size, parse_bytes(read.scenario.collective.bytes));
    RS_ASSIGN(const auto request, scenario::read(read.scenario.collective));
    auto made = std::make_shared<lessons::Experiment>();
    made->schedule = std::move(schedule);
    made->topology = std::make_shared<const sim::Topology>(machine.topology());
    made->payload = scenario::payload_for(made->schedule->spec(), size, request.type);
    RS_ASSIGN(auto simulation,
              sim::simulate(*made->schedule, made->payload, *made->topology, machine.model));
    made->time = simulation.time;
    made->spans = std::move(simulation.spans);
    made->links = std::move(simulation.links);
    return made;
  };
  return {run, run_own};
}

}  // namespace ringside::stage
