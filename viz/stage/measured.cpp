#include "viz/stage/measured.hpp"

#include <algorithm>

#include "core/algorithm.hpp"
#include "sim/shapes.hpp"
#include "sim/tuner.hpp"
#include "viz/scenario/log_platform.hpp"
#include "viz/scenario/recordings.hpp"

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

bool is_of(const Measured& measured, const Row& row) {
  return row.collective == measured.collective && row.ranks == measured.ranks;
}

/// The line through the log, if one can be laid.
void lay_line(Measured& measured, const std::vector<Row>& rows) {
  const auto fit = scenario::fit(rows);
  if (!fit) return;
  measured.fit = *fit;
  measured.limits.learn(*fit);
  measured.fitted.algorithm = "line";
  for (const Row& row : rows)
    if (is_of(measured, row)) {
      Row on_line = row;
      on_line.time = fit->time(*row.size);
      add(measured.fitted, on_line);
    }
}

/// What every point that is drawn says beside the prediction at its size.
void judge(Measured& measured, const std::vector<Row>& rows) {
  const Curve& curve = measured.predicted.points.empty() ? measured.fitted : measured.predicted;
  const auto stand_out = outliers(rows);
  const auto residuals = [&](const Curve& of, bool in_place) {
    std::vector<scenario::Residual> all;
    for (const Curve::Point& point : of.points) {
      const auto there = std::ranges::find(curve.points, point.x, &Curve::Point::x);
      for (std::size_t i = 0; i < rows.size() && there != curve.points.end(); ++i) {
        const Row& row = rows[i];
        if (!is_of(measured, row) || row.in_place != in_place || *row.time != point.time ||
            static_cast<double>(row.size->count) != point.x)
          continue;
        all.push_back(scenario::residual_of(row, there->time, stand_out[i], measured.limits));
        break;
      }
    }
    if (all.size() != of.points.size()) all.clear();  // sizes that have no prediction
    return all;
  };
  measured.residuals = residuals(measured.out_of_place, false);
  measured.residuals_in_place = residuals(measured.in_place, true);
}

/// `AMD EPYC, 2026-12-01`.
std::string origin_of(const MeasuredOn& on, const std::string& file) {
  std::string text = on.hardware;
  for (const auto& part : {on.date})
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? file : text;
}

std::string exactly(Duration time) {
  return std::to_string(time.picoseconds / 1000) + "ns";
}
std::string exactly(Bandwidth bandwidth) {
  return std::to_string(bandwidth.bytes_per_second / 1'000'000) + "MB/s";
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
  RS_ASSIGN(const std::string text, scenario::read_log_text(file));
  RS_ASSIGN(const MeasuredLog log, read_measured(text, file, options));
  Measured measured{.collective = log.rows.front().collective,
                    .ranks = log.rows.front().ranks,
                    .out_of_place = {"measured", {}},
                    .in_place = {"measured, in place", {}},
                    .algorithm = ran_by_name(log.rows.front()) ? log.rows.front().algorithm : "",
                    .origin = origin_of(log.on, file)};
  for (const Row& row : log.rows)
    if (is_of(measured, row)) add(row.in_place ? measured.in_place : measured.out_of_place, row);
  lay_line(measured, log.rows);
  const auto taken = machine_of(log, said);
  // Bare wires have curves to be compared with, and no NCCL: nothing was asked for in vain.
  if (!taken && said && !sim::is_shape(said->system)) return tl::unexpected(taken.error());
  if (taken) {
    measured.machine = taken->preset;
    measured.nodes = taken->platform.nodes;
    measured.limits.learn(taken->platform);
    if (auto predicted = predict(measured, taken->platform))
      measured.predicted = *std::move(predicted);
  }
  measured.sentence = taken ? taken->sentence : taken.error().message;
  judge(measured, log.rows);
  return measured;
}

void adapt(scenario::Scenario& scenario, const Measured& measured,
           const std::vector<std::pair<std::string, std::string>>& given) {
  const auto is_given = [&](std::string_view field) {
    return std::ranges::any_of(given, [&](const auto& one) { return one.first == field; });
  };
  if (!is_given("collective")) scenario.collective.collective = name(measured.collective);
  if (!is_given("algorithm") && !measured.algorithm.empty() &&
      find_algorithm(measured.collective, measured.algorithm))
    scenario.collective.algorithm = measured.algorithm;
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
  if (measured.machine.empty() && measured.fit && !is_given("system")) {
    if (!is_given("latency")) scenario.system.latency = exactly(measured.fit->latency);
    if (!is_given("bandwidth")) scenario.system.bandwidth = exactly(measured.fit->bandwidth);
  }
}

}  // namespace ringside::stage
