// One node of a machine: rows of devices of one kind.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "viz/stage/scene_machine.hpp"

namespace ringside::stage::detail {
namespace {

using sim::DeviceKind;

constexpr double unused_height = 24, row_gap = 46, least_gap = 12, most_gap = 76, least_cell = 30;

bool is_gpu_mesh(const sim::Topology& topology) {
  return std::ranges::any_of(topology.links, [&](const sim::Link& link) {
    return topology[link.from].kind == DeviceKind::gpu && topology[link.to].kind == DeviceKind::gpu;
  });
}

double sum(const std::vector<Row>& rows, double Row::*figure) {
  double all = 0;
  for (const Row& row : rows) all += row.*figure;
  return all;
}

/// Where rows are too high, they and the gaps give way down to what words and wires need, all by
/// the same share; where that is still too high, down to nothing.
void squeeze(std::vector<Row>& rows, double height, double unit) {
  const auto gaps = static_cast<double>(rows.size()) - 1;
  const double wanted = sum(rows, &Row::height) + row_gap * unit * gaps,
               least = sum(rows, &Row::least) + least_gap * unit * gaps;
  if (wanted <= height) return;
  const double ease = std::max(0.0, (height - least) / (wanted - least));
  const double share = std::min(1.0, height / least);
  for (Row& row : rows) row.height = share * std::lerp(row.least, row.height, ease);
}

}  // namespace

Floor::Floor(Scene& scene, const StagedRun& run, double unit)
    : scene_(scene),
      topology_(*run.topology),
      unit_(unit),
      used_(used_devices(run)),
      shared_(topology_.devices.size()) {
  for (std::uint32_t d = 0; d < shared_.size(); ++d)
    shared_[d] = topology_.devices[d].kind == DeviceKind::network_switch;
  for (const sim::Link& link : topology_.links)
    if (topology_[link.from].kind == DeviceKind::nvswitch &&
        topology_[link.to].node != topology_[link.from].node)
      shared_[link.from.value] = true;
}

/// A PCIe switch right under a GPU is 1 deep, one that it hangs from 2.
int Floor::depth_under_gpus(std::uint32_t device) const {
  std::vector<std::uint32_t> at{device};
  for (int depth = 1; depth < 4; ++depth) {
    std::vector<std::uint32_t> next;
    for (const sim::Link& link : topology_.links) {
      if (std::ranges::find(at, link.from.value) == at.end()) continue;
      const DeviceKind kind = topology_[link.to].kind;
      if (kind == DeviceKind::gpu) return depth;
      if (kind == DeviceKind::pcie_switch) next.push_back(link.to.value);
    }
    at = next;
  }
  return 1;
}

Row Floor::row_of(DeviceKind kind, const std::vector<std::uint32_t>& members) const {
  constexpr double line = 20;  // of small letters
  Row row{.members = members};
  const bool any_used = std::ranges::any_of(members, [&](std::uint32_t d) { return used_[d]; });
  switch (kind) {
    case DeviceKind::nvswitch:
      row.height = 34;
      row.least = line;
      row.most_width = 1e9;
      break;
    case DeviceKind::gpu:
      row.height = 92;
      row.least = 46;
      row.most_width = 118;
      row.is_mesh = is_gpu_mesh(topology_);
      break;
    default:
      row.height = any_used ? 36 : unused_height;
      row.least = line;
      row.most_width = kind == DeviceKind::pcie_switch || kind == DeviceKind::cpu ? 126 : 76;
  }
  row.height *= unit_;
  row.least *= unit_;
  row.most_width *= unit_;
  return row;
}

/// What is on no route is left out where there is little room for it.
std::vector<Row> Floor::rows_of(std::uint32_t node) const {
  constexpr std::size_t bottom = 6;
  std::array<std::vector<std::uint32_t>, bottom + 1> members;
  std::array<DeviceKind, bottom + 1> kinds{
      DeviceKind::nvswitch,    DeviceKind::gpu, DeviceKind::pcie_switch, DeviceKind::pcie_switch,
      DeviceKind::pcie_switch, DeviceKind::cpu, DeviceKind::nic};
  for (std::uint32_t d = 0; d < topology_.devices.size(); ++d) {
    const sim::Device& device = topology_.devices[d];
    const bool shown = used_[d] || device.kind == DeviceKind::gpu || topology_.nodes == 1;
    if (device.node != node || shared_[d] || !shown) continue;
    std::size_t row = bottom;
    if (device.kind == DeviceKind::nvswitch) row = 0;
    if (device.kind == DeviceKind::gpu) row = 1;
    if (device.kind == DeviceKind::pcie_switch)
      row = 1 + static_cast<std::size_t>(depth_under_gpus(d));
    if (device.kind == DeviceKind::cpu) row = 5;
    members[row].push_back(d);
  }
  std::vector<Row> rows;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!members[i].empty()) rows.push_back(row_of(kinds[i], members[i]));
  return rows;
}

bool Floor::is_grid(const Row& row, const Box& area) const {
  return topology_.devices[row.members.front()].kind == DeviceKind::gpu &&
         area.width / static_cast<double>(row.members.size()) < least_cell * unit_ &&
         area.height > 4 * least_cell * unit_;
}

void Floor::place_node(std::uint32_t node, const Box& area, bool upside_down) {
  auto rows = rows_of(node);
  const auto gaps = static_cast<double>(rows.size()) - 1;
  double heights = 0;
  for (const Row& row : rows) heights += row.height;
  for (Row& row : rows) {
    row.is_grid = !row.is_mesh && is_grid(row, area);
    if (!row.is_mesh && !row.is_grid) continue;
    // They take what the others leave.
    const double others = heights - row.height + 0.6 * row_gap * unit_ * gaps;
    const double most = row.is_mesh ? 1e9 : 78 * unit_ * static_cast<double>(row.members.size());
    row.least = 0.3 * area.height;
    row.height = std::clamp(area.height - others, row.least, most);
    heights = others - 0.6 * row_gap * unit_ * gaps + row.height;
  }
  squeeze(rows, area.height, unit_);
  heights = 0;
  for (const Row& row : rows) heights += row.height;
  const double gap = gaps == 0 ? 0 : std::min((area.height - heights) / gaps, most_gap * unit_);
  double y = (area.height - heights - gap * gaps) / 2;
  for (const Row& row : rows) {
    const double height = row.height;
    const double top = upside_down ? area.bottom() - y - height : area.y + y;
    place_row(row, {area.x, top, area.width, height});
    y += height + gap;
  }
}

double Floor::wanted_x(std::uint32_t device, double otherwise) const {
  double sum = 0;
  int count = 0;
  for (const sim::Link& link : topology_.links) {
    if (link.from.value != device || scene_.devices[link.to.value].is_empty()) continue;
    if (topology_[link.to].kind == topology_[link.from].kind) continue;
    sum += scene_.devices[link.to.value].centre().x;
    ++count;
  }
  return count == 0 ? otherwise : sum / count;
}

void Floor::place_row(const Row& row, const Box& area) {
  auto members = row.members;
  const bool are_gpus = topology_.devices[members.front()].kind == DeviceKind::gpu;
  if (row.is_mesh) return in_ellipse(members, area);
  const auto count = static_cast<double>(members.size());
  if (row.is_grid) return in_grid(members, area);
  const double pitch = area.width / count, gap = std::min(10 * unit_, pitch * 0.2);
  const double width = std::min(pitch - gap, row.most_width);
  std::vector<double> wanted(topology_.devices.size(), 0);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double even = area.x + (static_cast<double>(i) + 0.5) * pitch;
    wanted[members[i]] = are_gpus ? even : wanted_x(members[i], even);
  }
  std::ranges::stable_sort(members, {}, [&](std::uint32_t d) { return wanted[d]; });
  std::vector<double> x;
  for (const auto d : members)
    x.push_back(
        std::max({wanted[d] - width / 2, area.x, x.empty() ? area.x : x.back() + width + gap}));
  double limit = area.right() - width;
  for (auto it = x.rbegin(); it != x.rend(); ++it, limit -= width + gap) *it = std::min(*it, limit);
  for (std::size_t i = 0; i < members.size(); ++i)
    scene_.devices[members[i]] = {x[i], area.y, width, area.height};
}

void Floor::in_grid(const std::vector<std::uint32_t>& members, const Box& area) {
  const auto count = static_cast<double>(members.size());
  double columns =
      std::clamp(std::ceil(std::sqrt(count * area.width / (1.3 * area.height))), 1.0, count);
  const double rows = std::ceil(count / columns);
  columns = std::ceil(count / rows);  // the last one as full as the others
  const Point pitch{area.width / columns, area.height / rows};
  const Point gap{std::min(5 * unit_, 0.2 * pitch.x), std::min(5 * unit_, 0.2 * pitch.y)};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double column = std::fmod(static_cast<double>(i), columns),
                 row = std::floor(static_cast<double>(i) / columns);
    scene_.devices[members[i]] = {area.x + column * pitch.x + gap.x / 2,
                                  area.y + row * pitch.y + gap.y / 2, pitch.x - gap.x,
                                  pitch.y - gap.y};
  }
}

void Floor::in_ellipse(const std::vector<std::uint32_t>& members, const Box& area) {
  const double width = std::min(96 * unit_, area.width / 5),
               height = std::min(64 * unit_, area.height / 5);
  const Point radius{std::min((area.width - width) / 2, area.height * 1.1),
                     (area.height - height) / 2};
  Path round;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double angle =
        std::numbers::pi *
        (2 * (static_cast<double>(i) + 0.5) / static_cast<double>(members.size()) - 0.5);
    round.push_back(area.centre() + Point{radius.x * std::cos(angle), radius.y * std::sin(angle)});
  }
  const double shrink = shrink_to_fit(round, width, height);
  for (std::size_t i = 0; i < members.size(); ++i)
    scene_.devices[members[i]] = Box::around(round[i], width * shrink, height * shrink);
}

}  // namespace ringside::stage::detail
