#include "viz/stage/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace ringside::stage {

double length(Point p) {
  return std::sqrt(p.x * p.x + p.y * p.y);
}

Point left_of(Point p) {
  const double l = length(p);
  return l == 0 ? Point{} : Point{p.y / l, -p.x / l};
}

Point along(const Path& path, double u) {
  double whole = 0;
  for (std::size_t i = 1; i < path.size(); ++i) whole += length(path[i] - path[i - 1]);
  double left = std::clamp(u, 0.0, 1.0) * whole;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const double piece = length(path[i] - path[i - 1]);
    if (left <= piece) return piece == 0 ? path[i] : mix(path[i - 1], path[i], left / piece);
    left -= piece;
  }
  return path.back();
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
