#include "viz/scenario/log_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/formats/measured_log.hpp"
#include "core/suggest.hpp"

namespace ringside::scenario {
namespace {

constexpr std::uint32_t most_ports = 4096;  // ports that a file spells out
constexpr double least_slope = 0.02;  // less of the largest size's time than noise is no bandwidth

struct Point {
  double bytes, us;
};

/// The line whose relative errors' squares are least; a start below zero is none.
std::optional<Line> line_through(const std::vector<Point>& points) {
  double n = 0, x = 0, xx = 0, y = 0, xy = 0;
  for (const auto& [bytes, us] : points) {
    const double weight = 1 / (us * us);
    n += weight, x += weight * bytes, xx += weight * bytes * bytes;
    y += weight * us, xy += weight * bytes * us;
  }
  const double determinant = n * xx - x * x;
  if (!(determinant > 1e-12 * n * xx)) return std::nullopt;
  Line line{(xx * y - x * xy) / determinant, (n * xy - x * y) / determinant};
  if (line.start_us < 0) line = {0, xy / xx};
  return line.us_per_byte > 0 ? std::optional(line) : std::nullopt;
}

Duration latency_of(const Line& line, const LogFit& fit) {
  return {std::llround(line.start_us * 1e6 / ring_steps(fit.collective, fit.ranks))};
}

Bandwidth bandwidth_of(const Line& line, const LogFit& fit) {
  const double rate = busbw_factor(fit.collective, fit.ranks) / line.us_per_byte * 1e6;
  return {static_cast<std::uint64_t>(std::clamp(rate, 1., 1e18))};
}

std::vector<Point> points_of(const LogFit& fit, const std::vector<Row>& rows) {
  const auto stand_out = outliers(rows);
  std::vector<Point> points;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!stand_out[i] && is_of(fit, rows[i]))
      points.push_back({static_cast<double>(rows[i].size->count), rows[i].time->microseconds()});
  return points;
}

}  // namespace

std::uint32_t ring_steps(CollectiveKind kind, std::uint32_t ranks) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * (ranks - 1);
    case CollectiveKind::send_recv:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return 1;
    default:
      return ranks - 1;
  }
}

Duration LogFit::time(Bytes size) const {
  return {std::llround((line.start_us + line.us_per_byte * static_cast<double>(size.count)) * 1e6)};
}

bool is_of(const LogFit& fit, const Row& row) {
  return row.collective == fit.collective && row.ranks == fit.ranks &&
         ran_by_name(row) == fit.by_name;
}

Result<LogFit> fit(const std::vector<Row>& rows) {
  LogFit fit{.collective = rows.front().collective,
             .ranks = rows.front().ranks,
             .by_name = ran_by_name(rows.front())};
  if (fit.ranks < 2 || fit.ranks > most_ports)
    return bad_request(fmt::format(
        "--fit lays a ring through the times, of 2 to {} ranks, and the log {}", most_ports,
        fit.ranks == 0 ? "does not say how many there were: say it with --ranks"
                       : fmt::format("is of {}", fit.ranks)));
  const auto points = points_of(fit, rows);
  std::set<double> sizes;
  for (const Point& point : points) sizes.insert(point.bytes);
  if (sizes.size() < 3)
    return bad_request(
        fmt::format("--fit needs three sizes or more, and the log has {}, without what stands out",
                    sizes.size()));
  const auto whole = line_through(points);
  if (!whole || whole->us_per_byte * *sizes.rbegin() < least_slope * whole->start_us)
    return bad_request(
        "--fit finds no bandwidth in these times, which do not grow with the size: measure larger "
        "sizes");
  fit.line = *whole;
  fit.rows = points.size();
  fit.latency = fit.least_latency = fit.most_latency = latency_of(*whole, fit);
  fit.bandwidth = fit.least_bandwidth = fit.most_bandwidth = bandwidth_of(*whole, fit);
  for (const double without : sizes) {
    auto rest = points;
    std::erase_if(rest, [&](const Point& point) { return point.bytes == without; });
    const auto line = line_through(rest);
    if (!line) continue;
    fit.least_latency = std::min(fit.least_latency, latency_of(*line, fit));
    fit.most_latency = std::max(fit.most_latency, latency_of(*line, fit));
    fit.least_bandwidth = std::min(fit.least_bandwidth, bandwidth_of(*line, fit));
    fit.most_bandwidth = std::max(fit.most_bandwidth, bandwidth_of(*line, fit));
  }
  return fit;
}

std::vector<std::string> in_words(const LogFit& fit) {
  return {fmt::format("a ring of {} ranks, laid through {} of {}: the launch is part of its steps",
                      fit.ranks, counted(fit.rows, "row"), name(fit.collective)),
          fmt::format("latency of a step: {} ({} to {} as any one size is left out)",
                      to_string(fit.latency), to_string(fit.least_latency),
                      to_string(fit.most_latency)),
          fmt::format("bandwidth of a port: {} ({} to {})", to_string(fit.bandwidth),
                      to_string(fit.least_bandwidth), to_string(fit.most_bandwidth))};
}

}  // namespace ringside::scenario
