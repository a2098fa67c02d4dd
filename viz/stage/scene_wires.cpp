// Wires between the devices that are drawn.

#include <algorithm>
#include <cmath>
#include <map>

#include "viz/stage/scene.hpp"

namespace ringside::stage::detail {
namespace {

using sim::DeviceKind;

constexpr std::size_t most_curved = 1024;  // wires or ways: more of them are straight lines

/// Where the line from the middle of an ellipse to `beyond` leaves it.
Point leaves_ellipse(const Box& box, Point beyond) {
  const Point d = beyond - box.centre();
  const double out = std::hypot(d.x / (box.width / 2), d.y / (box.height / 2));
  return out <= 1 ? beyond : mix(box.centre(), beyond, 1 / out);
}

class Wiring {
 public:
  Wiring(const Scene& scene, const StagedRun& run) : scene_(scene), topology_(*run.topology) {}

  Path between(DeviceId a, DeviceId b, bool may_curve) const {
    const Box &from = scene_.devices[a.value], &to = scene_.devices[b.value];
    if (scene_.plate == a) return reversed(between(b, a, may_curve));
    if (scene_.plate == b)
      return {outside({from.centre(), to.centre()}, from, {}).front(),
              leaves_ellipse(to, from.centre())};
    if (!may_curve) return outside({from.centre(), to.centre()}, from, to);
    if (!scene_.is_machine && is_gpu(a) && is_gpu(b))
      return outside(around_or_across(from, to), from, to);
    return outside(past_others(a, b), from, to);
  }

  /// Neighbours on the circle meet along it, all others across its inside.
  Path around_or_across(const Box& a, const Box& b) const {
    const Point from = a.centre(), to = b.centre(), centre = scene_.region.centre();
    const Point middle = mix(from, to, 0.5), d = middle - centre;
    const double depth = std::hypot(d.x / scene_.radius.x, d.y / scene_.radius.y);
    const bool near = depth > 0.05 && are_neighbours(a, b);
    if (!near) return curve(from, mix(middle, centre, 0.25), to);
    return curve(from, 2.0 * mix(centre, middle, 1 / depth) - middle, to);
  }

 private:
  bool is_gpu(DeviceId id) const { return topology_[id].kind == DeviceKind::gpu; }
  /// No other rank stands nearer to both.
  bool are_neighbours(const Box& a, const Box& b) const {
    const double apart = length(a.centre() - b.centre());
    for (const Box& other : scene_.ranks) {
      const Point c = other.centre();
      if (c == a.centre() || c == b.centre()) continue;
      if (std::max(length(c - a.centre()), length(c - b.centre())) < apart) return false;
    }
    return true;
  }
  /// Straight if nothing stands there, else past the side of it that is nearer. Wires to hubs pass
  /// under what they cross.
  Path past_others(DeviceId a, DeviceId b) const {
    const Point from = attachment(a, b), to = attachment(b, a);
    if (is_hub(a) || is_hub(b)) return {from, to};
    const Point d = to - from, middle = mix(from, to, 0.5);
    const bool flat = std::abs(d.x) > std::abs(d.y);
    for (std::uint32_t i = 0; i < scene_.devices.size(); ++i) {
      const Box& box = scene_.devices[i];
      if (box.is_empty() || i == a.value || i == b.value || !box.grown(1).is_crossed(from, to))
        continue;
      const Point c = box.centre();
      Point via = middle;
      if (flat)
        via.y += (middle.y <= c.y ? -0.85 : 0.85) * box.height;
      else
        via.x += (middle.x <= c.x ? -0.85 : 0.85) * box.width;
      const Box& all = scene_.region;
      via = {std::clamp(via.x, all.x, all.right()), std::clamp(via.y, all.y, all.bottom())};
      return curve(from, 2.0 * via - middle, to);
    }
    return {from, to};
  }
  bool is_hub(DeviceId id) const {
    return topology_[id].kind == DeviceKind::nvswitch ||
           topology_[id].kind == DeviceKind::network_switch;
  }
  /// The middle of a device; of one as wide as a bar, the place nearest to the other.
  Point attachment(DeviceId at, DeviceId other) const {
    const Box& box = scene_.devices[at.value];
    Point c = box.centre();
    if (box.width < 3 * box.height || is_gpu(at)) return c;
    const Box& far = scene_.devices[other.value];
    const double inset = std::min(box.width / 2, box.height / 2);
    c.x = std::clamp(far.centre().x, box.x + inset, box.right() - inset);
    return c;
  }

  const Scene& scene_;
  const sim::Topology& topology_;
};

}  // namespace

void find_wires(Scene& scene, const StagedRun& run) {
  const auto& links = run.topology->links;
  std::vector<bool> used(links.size());
  for (const LinkId link : run.route_links) used[link.value] = true;
  std::map<std::pair<DeviceId, DeviceId>, std::uint32_t> known;
  scene.wire_of.assign(links.size(), UINT32_MAX);
  for (LinkId id{0}; id.value < links.size(); ++id.value) {
    const auto [from, to] = std::minmax(links[id.value].from, links[id.value].to);
    if (scene.devices[from.value].is_empty() || scene.devices[to.value].is_empty()) continue;
    const auto [nth, is_new] =
        known.try_emplace({from, to}, static_cast<std::uint32_t>(scene.wires.size()));
    if (is_new) scene.wires.push_back({.from = from, .to = to});
    Scene::Wire& wire = scene.wires[nth->second];
    wire.links[links[id.value].from == from ? 0 : 1].push_back(id);
    wire.is_used |= used[id.value];
    scene.wire_of[id.value] = nth->second;
  }
  const Wiring wiring(scene, run);
  const bool may_curve = scene.wires.size() <= most_curved;
  for (Scene::Wire& wire : scene.wires) wire.path = wiring.between(wire.from, wire.to, may_curve);
}

}  // namespace ringside::stage::detail

namespace ringside::stage {

Path path_between(const Scene& scene, const StagedRun& run, DeviceId from, DeviceId to) {
  return detail::Wiring(scene, run).between(from, to, true);
}

}  // namespace ringside::stage
