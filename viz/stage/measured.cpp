#include "viz/stage/measured.hpp"

#include <algorithm>

#include "core/algorithm.hpp"
#include "core/file.hpp"
#include "sim/shapes.hpp"
#include "sim/tuner.hpp"
#include "viz/scenario/log_platform.hpp"

namespace ringside::stage {
namespace {

/// A point a size: of several rows, the fastest.
void add(Curve& curve, const Row& row) {
  const auto x = static_cast<double>(row.size->count);
  const auto at = std::ranges::lower_bound(curve.points, x, {}, &Curve::Point::x);
  if (at == curve.points.end() || at->x != x)
    curve.points.insert(at, {x, *row.time, row.busbw()});
  else if (*row.time < at->time)
    *at = {x, *row.time, row.busbw()};
}

Result<Curve> predict(const Measured& measured, const sim::Platform& platform) {
  RS_ASSIGN(const auto tuner, sim::Tuner::make(platform));
  Curve curve{"NCCL", {}};
  const auto& points = measured.out_of_place.points.empty() ? measured.in_place.points
                                                            : measured.out_of_place.points;
  for (const auto& point : points) {
    Row row{.collective = measured.collective,
            .ranks = measured.ranks,
            .size = Bytes{static_cast<std::uint64_t>(point.x)}};
    RS_ASSIGN(const auto estimate, tuner.choose({.collective = row.collective, .size = *row.size}));
    row.time = estimate.time;
    add(curve, row);
  }
  return curve;
}

/// The log's own words, and what flags put in their place.
Result<scenario::TakenFor> machine_of(const MeasuredLog& log,
                                      std::optional<scenario::SystemOptions> said) {
  scenario::SystemOptions unsaid;
  unsaid.system.clear();
  if (!said) return scenario::platform_for(log, unsaid);
  if (said->system.empty()) {
    RS_ASSIGN(auto taken, scenario::platform_for(log, unsaid));
    if (taken.preset.empty())
      return bad_request("no machine of ours is like the log's: say which one with --system");
    said->system = std::move(taken.preset);
  }
  said->ranks = 0;  // the log's
  return scenario::platform_for(log, *said);
}

}  // namespace

Result<Measured> read_log(const std::string& file, const LogOptions& options,
                          const std::optional<scenario::SystemOptions>& said) {
  RS_ASSIGN(const std::string text, read_file(file, 64_MiB));
  RS_ASSIGN(const MeasuredLog log, read_measured(text, file, options));
  Measured measured{.collective = log.rows.front().collective,
                    .ranks = log.rows.front().ranks,
                    .out_of_place = {"measured", {}},
                    .in_place = {"measured, in place", {}}};
  for (const Row& row : log.rows)
    if (row.collective == measured.collective && row.ranks == measured.ranks)
      add(row.in_place ? measured.in_place : measured.out_of_place, row);
  const auto taken = machine_of(log, said);
  if (!taken) {
    // Bare wires have curves to be compared with, and no NCCL: nothing was asked for in vain.
    if (said && !sim::is_shape(said->system)) return tl::unexpected(taken.error());
    measured.sentence = taken.error().message;
    return measured;
  }
  measured.machine = taken->preset;
  measured.nodes = taken->platform.nodes;
  measured.sentence = taken->sentence;
  auto predicted = predict(measured, taken->platform);
  if (predicted) measured.predicted = *std::move(predicted);
  return measured;
}

void adapt(scenario::Scenario& scenario, const Measured& measured,
           const std::vector<std::pair<std::string, std::string>>& given) {
  const auto is_given = [&](std::string_view field) {
    return std::ranges::any_of(given, [&](const auto& one) { return one.first == field; });
  };
  if (!is_given("collective")) scenario.collective.collective = name(measured.collective);
  if (!is_given("algorithm") && !find_algorithm(measured.collective, scenario.collective.algorithm))
    for (const Algorithm& algorithm : all_algorithms())
      if (algorithm.collective == measured.collective) {
        scenario.collective.algorithm = algorithm.name;
        break;
      }
  if (!measured.machine.empty()) {
    if (!is_given("system")) scenario.system.system = measured.machine;
    if (!is_given("nodes")) scenario.system.nodes = measured.nodes;
  }
  if (!is_given("ranks")) scenario.system.ranks = measured.ranks;
}

}  // namespace ringside::stage
