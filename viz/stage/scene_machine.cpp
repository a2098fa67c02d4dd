// A machine as it is built: a frame a node, in each rows of devices of one kind.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "viz/stage/scene.hpp"

namespace ringside::stage::detail {
namespace {

using sim::DeviceKind;

/// The rows of a node from the top, and their share of its height. A mesh of GPUs needs room.
struct RowKind {
  DeviceKind kind;
  double weight;
};
constexpr std::array<RowKind, 5> rows{{{DeviceKind::nvswitch, 0.8},
                                       {DeviceKind::gpu, 1.6},
                                       {DeviceKind::pcie_switch, 0.7},
                                       {DeviceKind::cpu, 0.8},
                                       {DeviceKind::nic, 0.7}}};
constexpr double mesh_weight = 4.5;

class Floor {
 public:
  Floor(Scene& scene, const StagedRun& run, double unit)
      : scene_(scene), topology_(*run.topology), unit_(unit), used_(used_devices(run)) {
    for (const sim::Link& link : topology_.links)
      is_mesh_ |= topology_[link.from].kind == DeviceKind::gpu &&
                  topology_[link.to].kind == DeviceKind::gpu;
  }

  void place() {
    Box nodes = scene_.region;
    const auto network = network_switches();
    if (!network.empty()) {
      const double height = std::min(48 * unit_, nodes.height * 0.12);
      nodes.height -= height + 28 * unit_;
      in_row(network, {nodes.x, scene_.region.bottom() - height, nodes.width, height});
    }
    const std::uint32_t count = topology_.nodes;
    const double aspect = nodes.width / std::max(1.0, nodes.height);
    auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(count * aspect / 1.6)));
    columns = std::clamp(columns, 1u, count);
    const std::uint32_t lines = (count + columns - 1) / columns;
    columns = (count + lines - 1) / lines;
    const double gap = count == 1 ? 0 : 12 * unit_;
    const double width = (nodes.width - gap * (columns - 1)) / columns;
    const double height = (nodes.height - gap * (lines - 1)) / lines;
    for (std::uint32_t n = 0; n < count; ++n) {
      const Box frame{nodes.x + n % columns * (width + gap), nodes.y + n / columns * (height + gap),
                      width, height};
      if (count > 1) scene_.frames.push_back(frame);
      place_node(n,
                 count > 1 ? frame.grown(-std::min({10 * unit_, width / 8, height / 8})) : frame);
    }
  }

 private:
  std::vector<std::uint32_t> network_switches() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t d = 0; d < topology_.devices.size(); ++d)
      if (topology_.devices[d].kind == DeviceKind::network_switch &&
          (used_[d] || topology_.nodes <= 2))
        found.push_back(d);
    return found;
  }
  /// What is on no route is left out where there is no room for it.
  std::vector<std::uint32_t> of(std::uint32_t node, DeviceKind kind) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t d = 0; d < topology_.devices.size(); ++d) {
      const sim::Device& device = topology_.devices[d];
      const bool same =
          device.kind == kind || (kind == DeviceKind::cpu && device.kind == DeviceKind::memory);
      if (device.node != node || !same) continue;
      if (used_[d] || kind == DeviceKind::gpu || topology_.nodes == 1) found.push_back(d);
    }
    return found;
  }

  void place_node(std::uint32_t node, const Box& area) {
    double weights = 0;
    std::array<std::vector<std::uint32_t>, rows.size()> members;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      members[i] = of(node, rows[i].kind);
      if (!members[i].empty()) weights += weight(i);
    }
    double y = area.y;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (members[i].empty()) continue;
      const double height = area.height * weight(i) / weights;
      const double gap = std::min(22 * unit_, height * 0.36);
      const Box row{area.x, y + gap / 2, area.width, height - gap};
      if (is_mesh_ && rows[i].kind == DeviceKind::gpu)
        in_ellipse(members[i], row);
      else
        in_row(members[i], row);
      y += height;
    }
  }
  double weight(std::size_t row) const {
    return is_mesh_ && rows[row].kind == DeviceKind::gpu ? mesh_weight : rows[row].weight;
  }

  /// Each below what it is linked to, as far as its neighbours let it.
  void in_row(std::vector<std::uint32_t> members, const Box& row) {
    const auto count = static_cast<double>(members.size());
    const bool wide = topology_.devices[members.front()].kind == DeviceKind::nvswitch ||
                      topology_.devices[members.front()].kind == DeviceKind::network_switch;
    const double pitch = row.width / count, gap = std::min(10 * unit_, pitch * 0.2);
    const double width = std::min(pitch - gap, (wide ? 260 : 118) * unit_);
    std::vector<double> wanted(topology_.devices.size(), 0);
    for (std::size_t i = 0; i < members.size(); ++i)
      wanted[members[i]] =
          above(members[i]).value_or(row.x + (static_cast<double>(i) + 0.5) * pitch);
    std::ranges::stable_sort(members, {}, [&](std::uint32_t d) { return wanted[d]; });
    std::vector<double> x;
    for (const auto d : members)
      x.push_back(
          std::max({wanted[d] - width / 2, row.x, x.empty() ? row.x : x.back() + width + gap}));
    double limit = row.right() - width;
    for (auto it = x.rbegin(); it != x.rend(); ++it, limit -= width + gap)
      *it = std::min(*it, limit);
    const double height = std::min(row.height, (wide ? 44 : 84) * unit_);
    for (std::size_t i = 0; i < members.size(); ++i)
      scene_.devices[members[i]] = {x[i], row.y + (row.height - height) / 2, width, height};
  }
  /// The middle of what a device is linked to and has its place already.
  std::optional<double> above(std::uint32_t device) const {
    double sum = 0;
    int count = 0;
    for (const sim::Link& link : topology_.links) {
      if (link.from.value != device || scene_.devices[link.to.value].is_empty()) continue;
      sum += scene_.devices[link.to.value].centre().x;
      ++count;
    }
    if (count == 0) return {};
    return sum / count;
  }
  void in_ellipse(const std::vector<std::uint32_t>& members, const Box& area) {
    const double width = std::min(96 * unit_, area.width / 5),
                 height = std::min(64 * unit_, area.height / 5);
    const Point radius{std::min((area.width - width) / 2, area.height * 1.1),
                       (area.height - height) / 2};
    Path round;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const double angle =
          std::numbers::pi *
          (2 * (static_cast<double>(i) + 0.5) / static_cast<double>(members.size()) - 0.5);
      round.push_back(area.centre() +
                      Point{radius.x * std::cos(angle), radius.y * std::sin(angle)});
    }
    const double shrink = shrink_to_fit(round, width, height);
    for (std::size_t i = 0; i < members.size(); ++i)
      scene_.devices[members[i]] = Box::around(round[i], width * shrink, height * shrink);
  }

  Scene& scene_;
  const sim::Topology& topology_;
  double unit_;
  std::vector<bool> used_;
  bool is_mesh_ = false;
};

}  // namespace

void place_machine(Scene& scene, const StagedRun& run, double unit) {
  Floor(scene, run, unit).place();
  for (const DeviceId device : run.topology->ranks)
    scene.ranks.push_back(scene.devices[device.value]);
}

}  // namespace ringside::stage::detail
