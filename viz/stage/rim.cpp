#include "viz/stage/rim.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ringside::stage {
namespace {

constexpr double pi = std::numbers::pi;
constexpr int pieces = 4096;  // of an ellipse, to walk along it

Point on_ellipse(Point centre, Point radius, double from_top) {
  return centre + Point{radius.x * std::sin(from_top), -radius.y * std::cos(from_top)};
}

/// Parameters, clockwise from the top, of points at equal distances.
std::vector<double> equal_steps(Point radius, std::size_t count, double start) {
  const auto angle = [&](int piece) { return start + 2 * pi * piece / pieces; };
  std::vector<double> walked(pieces + 1, 0);
  for (int i = 0; i < pieces; ++i)
    walked[i + 1] =
        walked[i] + length(on_ellipse({}, radius, angle(i + 1)) - on_ellipse({}, radius, angle(i)));
  std::vector<double> angles;
  for (std::size_t place = 0; place < count; ++place) {
    const double goal = walked.back() * static_cast<double>(place) / static_cast<double>(count);
    const auto at = std::ranges::lower_bound(walked, goal - 1e-6) - walked.begin();
    angles.push_back(angle(static_cast<int>(at)));
  }
  return angles;
}

}  // namespace

Path points_around(Point centre, Point radius, std::size_t count) {
  if (count == 1) return {centre};
  Path points;
  for (const double angle : equal_steps(radius, count, count == 2 ? -pi / 2 : 0))
    points.push_back(on_ellipse(centre, radius, angle));
  return points;
}

Rim::Rim(Point centre, Point radius, std::uint32_t count)
    : centre_(centre), radius_(radius), middles_(equal_steps(radius, count, 0)) {}

double Rim::begin(std::uint32_t piece) const {
  const auto count = static_cast<std::uint32_t>(middles_.size());
  if (piece == 0) return (middles_.back() - 2 * pi) / 2;
  if (piece == count) return begin(0) + 2 * pi;
  return (middles_[piece - 1] + middles_[piece]) / 2;
}

Point Rim::at_angle(double angle, double share) const {
  return on_ellipse(centre_, share * radius_, angle);
}

Point Rim::on(std::uint32_t piece, double depth) const {
  return at_angle(middles_[piece], inner + depth * (1 - inner));
}

std::optional<Rim::Spot> Rim::at(Point p) const {
  if (is_empty()) return {};
  const Point d{(p.x - centre_.x) / radius_.x, (p.y - centre_.y) / radius_.y};
  const double share = std::hypot(d.x, d.y);
  if (share < inner || share > 1) return {};
  double angle = std::atan2(d.x, -d.y);
  while (angle < begin(0)) angle += 2 * pi;
  const auto next = std::ranges::upper_bound(middles_, angle) - middles_.begin();
  auto piece = static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(next, 1)) - 1;
  if (angle >= begin(piece + 1)) piece = (piece + 1) % static_cast<std::uint32_t>(middles_.size());
  Spot spot{piece, (share - inner) / (1 - inner)};
  // A hair of what is behind shows between two pieces that are wide enough.
  const double width = length(at_angle(begin(piece + 1), share) - at_angle(begin(piece), share));
  const double from = length(p - at_angle(begin(piece), share)),
               to = length(p - at_angle(begin(piece + 1), share));
  constexpr double least_parted = 14, hair = 0.75;
  spot.is_gap = width >= least_parted && std::min(from, to) < hair;
  return spot;
}

Path Rim::outline(std::uint32_t piece) const {
  constexpr int steps = 8;
  const double from = begin(piece), to = begin(piece + 1);
  Path path;
  for (int i = 0; i <= steps; ++i) path.push_back(at_angle(from + (to - from) * i / steps, 1));
  for (int i = steps; i >= 0; --i) path.push_back(at_angle(from + (to - from) * i / steps, inner));
  path.push_back(path.front());
  return path;
}

}  // namespace ringside::stage
