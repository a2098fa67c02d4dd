// A machine as it is built: a frame a node, and what nodes share between two lines of them.

#include "viz/stage/scene_machine.hpp"

#include <algorithm>
#include <functional>

namespace ringside::stage::detail {
namespace {

/// Shared switches, from those that nodes are linked to outwards.
std::vector<Row> shared_rows(const Floor& floor) {
  Row near{.most_width = 168 * floor.unit()}, far{.most_width = 1e9};
  const auto& devices = floor.topology().devices;
  std::vector<bool> is_near(devices.size());
  for (const sim::Link& link : floor.topology().links)
    is_near[link.from.value] = is_near[link.from.value] || !floor.is_shared(link.to.value);
  for (std::uint32_t d = 0; d < devices.size(); ++d) {
    if (!floor.is_shared(d) || !floor.is_used(d)) continue;
    (is_near[d] ? near : far).members.push_back(d);
    if (devices[d].kind == sim::DeviceKind::nvswitch) near.most_width = 1e9;
  }
  near.height = 34 * floor.unit();
  far.height = 20 * floor.unit();
  std::vector<Row> rows;
  for (Row& row : {std::ref(near), std::ref(far)})
    if (!row.members.empty()) rows.push_back(row);
  return rows;
}

/// How the nodes' frames are laid out.
struct Lines {
  std::uint32_t lines = 1, columns = 1;
  double width = 0, height = 0;  // of a frame
  double gap = 0;
  double band = 0;  // between or under the lines, for what is shared
};

Lines lines_for(const Box& region, std::uint32_t nodes, double band, double unit) {
  Lines l;
  l.lines = nodes <= 3 && region.width / nodes > 0.5 * region.height ? 1 : nodes == 1 ? 1 : 2;
  l.columns = (nodes + l.lines - 1) / l.lines;
  l.band = std::min(band, 0.4 * region.height);
  l.gap = std::min(12 * unit, 0.15 * region.width / l.columns);
  l.width = (region.width - l.gap * (l.columns - 1)) / l.columns;
  l.height = (region.height - (l.band > 0 ? l.band : (l.lines - 1) * l.gap)) / l.lines;
  return l;
}

/// Room for shared switches and the wires to them: airy where the region is tall.
double band_for(const Box& region, const std::vector<Row>& shared, double unit) {
  if (shared.empty()) return 0;
  double least = 24 * unit, most = 44 * unit;
  for (const Row& row : shared) {
    least += row.height + 16 * unit;
    most += row.height + 40 * unit;
  }
  return std::clamp(0.14 * region.height, least, most);
}

void place_shared(Floor& floor, const std::vector<Row>& rows, Box area) {
  double heights = 0;
  for (const Row& row : rows) heights += row.height;
  const double air = (area.height - heights) / (static_cast<double>(rows.size()) + 1);
  const double squeeze = air < 0 ? area.height / heights : 1;
  double y = area.y + std::max(0.0, air);
  for (const Row& row : rows) {
    floor.place_row(row, {area.x, y, area.width, row.height * squeeze});
    y += row.height * squeeze + std::max(0.0, air);
  }
}

}  // namespace

void place_machine(Scene& scene, const StagedRun& run, double unit) {
  Floor floor(scene, run, unit);
  const std::uint32_t nodes = run.topology->nodes;
  const auto shared = shared_rows(floor);
  const double band = band_for(scene.region, shared, unit);
  const Lines l = lines_for(scene.region, nodes, band, unit);
  const double inset = nodes == 1 ? 0 : std::min({10 * unit, l.width / 10, l.height / 10});
  if (nodes > 1 && l.width > 64 * unit && l.height > 130 * unit)
    scene.frame_heading = 20 * unit;
  else if (nodes > 1 && band >= 40 * unit)
    scene.frame_margin = 20 * unit;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const std::uint32_t line = n / l.columns, column = n % l.columns;
    const Box frame{scene.region.x + column * (l.width + l.gap),
                    scene.region.y + line * (l.height + (band > 0 ? l.band : l.gap)), l.width,
                    l.height};
    if (nodes > 1) scene.frames.push_back(frame);
    Box area = frame.grown(-inset);
    if (line == 0) area.y += scene.frame_heading;
    area.height -= scene.frame_heading;
    floor.place_node(n, area, line == 1);
  }
  place_shared(floor, shared,
               {scene.region.x, scene.region.y + l.height, scene.region.width, l.band});
  for (const DeviceId device : run.topology->ranks)
    scene.ranks.push_back(scene.devices[device.value]);
}

}  // namespace ringside::stage::detail
