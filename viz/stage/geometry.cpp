#include "viz/stage/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace ringside::stage {

double length(Point p) {
  return std::sqrt(p.x * p.x + p.y * p.y);
}

Point right_of(Point p) {
  const double l = length(p);
  return l == 0 ? Point{} : Point{-p.y / l, p.x / l};
}

bool Box::is_crossed(Point a, Point b) const {
  // The stretch of the line, as a share of it, that is within both of the box's extents.
  double enter = 0, leave = 1;
  const auto narrow = [&](double from, double by, double low, double high) {
    if (by == 0) {
      if (from <= low || from >= high) leave = -1;
      return;
    }
    const double u = (low - from) / by, v = (high - from) / by;
    enter = std::max(enter, std::min(u, v));
    leave = std::min(leave, std::max(u, v));
  };
  narrow(a.x, b.x - a.x, x, right());
  narrow(a.y, b.y - a.y, y, bottom());
  return enter < leave;
}

Point along(const Path& path, double u) {
  return Way(path).at(u);
}

Way::Way(Path path) : path_(std::move(path)), walked_(path_.size(), 0) {
  for (std::size_t i = 1; i < path_.size(); ++i)
    walked_[i] = walked_[i - 1] + length(path_[i] - path_[i - 1]);
}

Point Way::at(double u) const {
  const double goal = std::clamp(u, 0.0, 1.0) * walked_.back();
  const auto next = static_cast<std::size_t>(
      std::lower_bound(walked_.begin() + 1, walked_.end(), goal) - walked_.begin());
  if (next >= path_.size()) return path_.back();
  const double piece = walked_[next] - walked_[next - 1];
  return piece == 0 ? path_[next]
                    : mix(path_[next - 1], path_[next], (goal - walked_[next - 1]) / piece);
}

Point Way::heading(double u) const {
  constexpr double hair = 1e-3;
  return at(u + hair) - at(u - hair);
}

Path reversed(Path path) {
  std::ranges::reverse(path);
  return path;
}

Path curve(Point from, Point control, Point to) {
  constexpr int pieces = 16;
  Path path;
  for (int i = 0; i <= pieces; ++i) {
    const double u = double(i) / pieces;
    path.push_back(mix(mix(from, control, u), mix(control, to, u), u));
  }
  return path;
}

Path rounded(const Path& path, double radius) {
  constexpr int pieces = 6;
  Path smooth;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool is_corner = i > 0 && i + 1 < path.size();
    const double before = is_corner ? length(path[i] - path[i - 1]) : 0,
                 after = is_corner ? length(path[i + 1] - path[i]) : 0;
    if (before == 0 || after == 0) {
      smooth.push_back(path[i]);
      continue;
    }
    const Point in = mix(path[i], path[i - 1], std::min(0.5, radius / before)),
                out = mix(path[i], path[i + 1], std::min(0.5, radius / after));
    for (int k = 0; k <= pieces; ++k) {
      const double u = double(k) / pieces;
      smooth.push_back(mix(mix(in, path[i], u), mix(path[i], out, u), u));
    }
  }
  return smooth;
}

Path beside(const Path& path, Point half) {
  Path shifted;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Point normal =
        right_of(path[std::min(i + 1, path.size() - 1)] - path[i == 0 ? 0 : i - 1]);
    shifted.push_back(path[i] +
                      (std::abs(normal.x) * half.x + std::abs(normal.y) * half.y) * normal);
  }
  return shifted;
}

namespace {

/// Where the line from `inside` (in the box) to `beyond` (out of it) leaves the box.
Point border(const Box& box, Point inside, Point beyond) {
  double u = 1;
  const Point d = beyond - inside;
  if (d.x > 0) u = std::min(u, (box.right() - inside.x) / d.x);
  if (d.x < 0) u = std::min(u, (box.x - inside.x) / d.x);
  if (d.y > 0) u = std::min(u, (box.bottom() - inside.y) / d.y);
  if (d.y < 0) u = std::min(u, (box.y - inside.y) / d.y);
  return mix(inside, beyond, std::max(u, 0.0));
}

Path without_head(const Path& path, const Box& box) {
  std::size_t last = path.size();
  for (std::size_t i = 0; i < path.size(); ++i)
    if (box.contains(path[i])) last = i;
  if (last == path.size()) return path;
  if (last + 1 == path.size()) return {path.back()};
  Path rest{border(box, path[last], path[last + 1])};
  rest.insert(rest.end(), path.begin() + static_cast<std::ptrdiff_t>(last) + 1, path.end());
  return rest;
}

}  // namespace

Path outside(const Path& path, const Box& from, const Box& to) {
  Path rest = without_head(path, from);
  std::ranges::reverse(rest);
  // What first enters `to` is, seen from the end, what last leaves it.
  rest = without_head(rest, to);
  std::ranges::reverse(rest);
  return rest;
}

double shrink_to_fit(const Path& round, double width, double height) {
  constexpr double air = 0.9;
  double least = 1 / air;
  for (std::size_t i = 0; i < round.size() && round.size() > 1; ++i) {
    const Point apart = round[(i + 1) % round.size()] - round[i];
    least = std::min(least, std::max(std::abs(apart.x) / width, std::abs(apart.y) / height));
  }
  return air * least;
}

}  // namespace ringside::stage
