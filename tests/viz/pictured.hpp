#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "sim/shapes.hpp"
#include "viz/figure/figure.hpp"

namespace ringside::figure {

/// A run made without the command line, and the figure of it.
struct Sample {
  Row row;
  Plan plan;
  Schedule schedule;
  sim::Topology topology;
  sim::Simulation simulation;

  PicturedRun pictured() const { return {row, plan, schedule, topology, simulation}; }
  std::string name() const {
    return row.algorithm + " " + std::string(ringside::name(row.collective)) + " on " +
           std::to_string(row.ranks);
  }
};

/// On a star, where everything can reach everything; nullopt if the algorithm does not serve it.
inline std::optional<Sample> sample(const Algorithm& algorithm, std::uint32_t ranks,
                                    Options options = {}) {
  const CollectiveSpec spec{.kind = algorithm.collective, .ranks = ranks};
  const auto plan = make_plan(algorithm, spec, options);
  if (!plan) return std::nullopt;
  auto schedule = build_schedule(*plan);
  auto topology = sim::make_shape({.kind = sim::ShapeKind::star, .ranks = ranks});
  if (!schedule || !topology) return std::nullopt;
  if (!sim::place_agents(*topology, plan->options.agents, plan->algorithm->in_switch))
    return std::nullopt;
  const std::uint64_t count =
      algorithm.collective == CollectiveKind::barrier ? 0 : 1000 * plan->options.chunks;
  const sim::Payload payload{count, ElementType::float32};
  auto simulation = sim::simulate(*schedule, payload, *topology, sim::NetworkModel::flow);
  if (!simulation) return std::nullopt;
  Row row{.collective = spec.kind,
          .algorithm = std::string(algorithm.name),
          .options = plan->options,
          .ranks = ranks,
          .size = size_of(spec, count, ElementType::float32),
          .count = count,
          .type = ElementType::float32,
          .time = simulation->time};
  return Sample{row, *plan, *std::move(schedule), *std::move(topology), *std::move(simulation)};
}

inline Sample ring(std::uint32_t ranks) {
  auto run = sample(**find_algorithm(CollectiveKind::all_reduce, "ring"), ranks);
  EXPECT_TRUE(run.has_value());
  return *std::move(run);
}

inline FigureOptions dark() {
  return {.at = {}, .at_step = {}, .theme = *find_theme("dark"), .command = ""};
}

inline std::string drawn(const Sample& run, const FigureOptions& options = dark()) {
  const auto svg = draw_figure(run.pictured(), options);
  EXPECT_TRUE(svg.has_value()) << run.name() << ": " << svg.error().message;
  return svg.value_or("");
}

inline std::vector<pugi::xml_node> elements(const pugi::xml_document& document, const char* path) {
  std::vector<pugi::xml_node> nodes;
  for (const auto& found : document.select_nodes(path)) nodes.push_back(found.node());
  return nodes;
}

}  // namespace ringside::figure
