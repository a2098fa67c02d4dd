#pragma once

#include <memory>
#include <string>
#include <utility>

#include "lessons/course/laboratory.hpp"
#include "sim/shapes.hpp"

namespace ringside::lessons {

/// Runs anything on a textbook wiring, whatever the share string says.
inline Laboratory textbook(Bytes size, sim::ShapeKind shape = sim::ShapeKind::mesh) {
  Laboratory laboratory;
  laboratory.run_own = [size, shape](std::shared_ptr<const Schedule> schedule,
                                     const std::string&) -> Result<ExperimentPtr> {
    const auto& spec = schedule->spec();
    RS_ASSIGN(const auto topology, sim::make_shape({.kind = shape, .ranks = spec.ranks}));
    auto run = std::make_shared<Experiment>();
    run->payload = {count_for(spec, size, ElementType::float32), ElementType::float32};
    RS_ASSIGN(const auto simulation,
              sim::simulate(*schedule, run->payload, topology, sim::NetworkModel::flow));
    run->topology = std::make_shared<sim::Topology>(topology);
    run->schedule = std::move(schedule);
    run->time = simulation.time;
    return run;
  };
  return laboratory;
}

}  // namespace ringside::lessons
