// A torus: a grid whose every row and column is a ring.

#include <algorithm>
#include <cmath>

#include "viz/stage/scene.hpp"

namespace ringside::stage::detail {
namespace {

/// Ranks a row: its last one is not joined to the next row's first. All, if that leaves a rest.
std::uint32_t columns_of(const StagedRun& run) {
  const auto& topology = *run.topology;
  for (std::uint32_t c = 1; c < run.ranks(); ++c) {
    const bool joined = std::ranges::any_of(topology.links, [&](const sim::Link& link) {
      return link.from == topology.ranks[c - 1] && link.to == topology.ranks[c];
    });
    if (!joined) return run.ranks() % c == 0 ? c : run.ranks();
  }
  return run.ranks();
}

}  // namespace

void place_grid(Scene& scene, const StagedRun& run, double unit) {
  const std::uint32_t columns = columns_of(run), rows = run.ranks() / columns;
  const Point pitch{scene.region.width / columns, scene.region.height / rows};
  const double width = std::min(104 * unit, 0.56 * pitch.x);
  const double height = std::min(74 * unit, 0.5 * pitch.y);
  for (std::uint32_t r = 0; r < run.ranks(); ++r) {
    const Point at{(r % columns + 0.5) * pitch.x, (r / columns + 0.5) * pitch.y};
    const Box box = Box::around(Point{scene.region.x, scene.region.y} + at, width, height);
    scene.ranks.push_back(box);
    scene.devices[run.topology->ranks[r].value] = box;
  }
}

}  // namespace ringside::stage::detail
