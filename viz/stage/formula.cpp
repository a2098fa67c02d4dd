#include "viz/stage/formula.hpp"

#include <algorithm>
#include <cmath>

namespace ringside::stage {
namespace {

/// The longest latency and the narrowest wire of all routes taken.
std::optional<LinkCost> worst_route(const StagedRun& run) {
  std::optional<LinkCost> worst;
  for (TransferId id{0}; id.value < run.schedule->transfers().size(); ++id.value) {
    if ((*run.schedule)[id].is_local()) continue;
    if (!worst) worst = LinkCost{{}, {UINT64_MAX}};
    Duration latency{};
    for (const LinkId link : run.route(id)) {
      latency += (*run.topology)[link].latency;
      worst->bandwidth = std::min(worst->bandwidth, (*run.topology)[link].bandwidth);
    }
    worst->latency = std::max(worst->latency, latency);
  }
  return worst;
}

}  // namespace

std::optional<Formula> formula_of(const StagedRun& run) {
  if (run.is_measured || !run.mistake.empty() || run.plan.algorithm == nullptr ||
      run.plan.algorithm->predict == nullptr || !run.row.size)
    return std::nullopt;
  const auto cost = worst_route(run);
  if (!cost) return std::nullopt;
  const auto predict = [&](Bytes size, const LinkCost& link) {
    return run.plan.algorithm->predict(run.plan.spec, run.plan.options, size, link);
  };
  // Nothing sent on wires of one second; everything sent on wires without latency.
  constexpr Duration second{1'000'000'000'000};
  Formula formula{.cost = *cost, .size = *run.row.size};
  formula.latencies = predict({0}, {second, cost->bandwidth}).seconds();
  const double wire = static_cast<double>(formula.size.count) /
                      static_cast<double>(cost->bandwidth.bytes_per_second);
  const double sent = predict(formula.size, {{}, cost->bandwidth}).seconds();
  formula.sizes = wire > 0 ? sent / wire : 0;
  formula.predicted = predict(formula.size, *cost);
  formula.is_exact = formula.predicted == run.time();
  constexpr double tolerance = 1e-3;
  const double said = formula.latencies * cost->latency.seconds() + sent;
  if (std::abs(said - formula.predicted.seconds()) > tolerance * formula.predicted.seconds())
    return std::nullopt;  // a maximum, or a pipeline that fills: no sum of two terms
  return formula;
}

}  // namespace ringside::stage
