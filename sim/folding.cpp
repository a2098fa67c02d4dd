#include "sim/folding.hpp"

#include <bit>
#include <string>
#include <utility>

#include "core/suggest.hpp"

namespace ringside::sim {

namespace {

/// What carries group 0 to each of Orbit::generators().
Result<std::vector<Automorphism>> automorphisms(const Topology& topology, const Orbit& orbit) {
  std::vector<Automorphism> all;
  std::vector<std::uint32_t> image(topology.ranks.size());
  for (const auto group : orbit.generators()) {
    for (std::uint32_t r = 0; r < image.size(); ++r) image[r] = orbit.carried(r, group);
    RS_ASSIGN(all.emplace_back(), automorphism(topology, image));
  }
  return all;
}

/// A wire in each group: what one in group 0 is carried to.
class WireOrbits {
 public:
  WireOrbits(const Orbit& orbit, std::span<const Automorphism> maps, const Topology& topology)
      : orbit_(orbit),
        maps_(maps),
        links_(static_cast<std::uint32_t>(topology.links.size())),
        visited_(topology.links.size() + topology.devices.size()) {}

  /// By group; empty if some of them are one, if it depends on the way there which they are, or if
  /// that wire has been seen before.
  std::span<const std::uint32_t> of(std::uint32_t first) {
    found_.clear();
    if (image_of(first, 0) == Automorphism::nowhere || visited_[first]) return {};
    visited_[first] = true;
    found_.push_back(first);
    for (std::uint32_t group = 1; group < orbit_.groups; ++group) {
      const auto step = orbit_.motion == Orbit::Motion::rotation ? 1 : group & (~group + 1);
      const auto wire = image_of(found_[group - step], std::countr_zero(step));
      if (visited_[wire]) return {};
      visited_[wire] = true;
      found_.push_back(wire);
    }
    return is_closed() ? found_ : std::span<const std::uint32_t>{};
  }

 private:
  std::uint32_t image_of(std::uint32_t wire, int map) const {
    const Automorphism& m = maps_[static_cast<std::size_t>(map)];
    if (wire < links_) return m.link[wire];
    const auto device = m.device[wire - links_];
    return device == Automorphism::nowhere ? device : links_ + device;
  }
  bool is_closed() const {
    int map = 0;
    for (const auto step : orbit_.generators()) {
      for (std::uint32_t group = 0; group < orbit_.groups; ++group) {
        const auto next = orbit_.carried(group * orbit_.ranks, step) / orbit_.ranks;
        if (image_of(found_[group], map) != found_[next]) return false;
      }
      ++map;
    }
    return true;
  }

  const Orbit& orbit_;
  std::span<const Automorphism> maps_;
  std::uint32_t links_;
  std::vector<bool> visited_;
  std::vector<std::uint32_t> found_;
};

}  // namespace

namespace {

/// By device: no map changes the order of the links that leave it, or any device like it.
std::vector<bool> who_keep_order(std::span<const Automorphism> maps) {
  std::vector<bool> keep(maps.front().device.size(), true);
  std::vector<std::uint32_t> others;
  const auto leave_out = [&](std::uint32_t device) {
    if (!keep[device]) return;
    keep[device] = false;
    others.push_back(device);
  };
  for (const auto& map : maps)
    for (std::uint32_t d = 0; d < keep.size(); ++d)
      if (!map.keeps_order[d]) leave_out(d);
  for (; !others.empty();) {
    const auto device = others.back();
    others.pop_back();
    for (const auto& map : maps)
      if (map.device[device] != Automorphism::nowhere) leave_out(map.device[device]);
  }
  return keep;
}

}  // namespace

Result<Folding> Folding::find(const Story& story, const Orbit& orbit, const Topology& topology) {
  if (!orbit.repeats()) return bad_request("no group of its ranks does what all others do");
  if (story.agents > 0) return bad_request("switches take part");
  if (topology.ranks.size() != story.spec.ranks)
    return bad_request("not all ranks of " + topology.name + " take part");
  RS_ASSIGN(const auto wires, models::wires_of(topology));
  Result<std::vector<Automorphism>> maps = bad_request("");
  Folding folding;
  std::string why;  // of the finest
  for (std::uint32_t times = 1; times < orbit.groups && !maps; ++times) {
    if (orbit.groups % times != 0) continue;
    folding.orbit_ = orbit.coarser(times);
    maps = automorphisms(topology, folding.orbit_);
    if (!maps && why.empty()) why = maps.error().message;
  }
  if (!maps) return bad_request(why);
  folding.keeps_order_ = who_keep_order(*maps);
  folding.places_.resize(wires.size());
  WireOrbits orbits(folding.orbit_, *maps, topology);
  for (std::uint32_t wire = 0; wire < wires.size(); ++wire)
    if (const auto alike = orbits.of(wire); !alike.empty()) folding.place(wires[wire], alike);
  return folding;
}

void Folding::place(const models::Wire& wire, std::span<const std::uint32_t> alike) {
  const auto like = static_cast<std::uint32_t>(wires_.size());
  for (std::uint32_t group = 0; group < alike.size(); ++group)
    places_[alike[group]] = {like, group};
  wires_.push_back(wire);
}

Result<Folding::Place> Folding::place_of(std::uint32_t wire, const Topology& topology) const {
  const Place place = places_[wire];
  if (place.like != Automorphism::nowhere) return place;
  return bad_request("several groups of ranks share " +
                     (wire < topology.links.size()
                          ? topology.link_name({wire})
                          : topology.devices[wire - topology.links.size()].name + "'s memory"));
}

bool Folding::goes_alike(std::span<const Router::Branching> branchings) const {
  std::uint64_t ways = 1;
  for (const auto& branching : branchings) {
    if (!keeps_order_[branching.at.value]) return false;
    ways *= branching.ways;
    if (ways > orbit_.ranks) return false;
  }
  return orbit_.ranks % ways == 0;
}

std::vector<LinkUse> Folding::use_of_all(std::span<const LinkUse> of_wires,
                                         const Topology& topology) const {
  std::vector<LinkUse> use(topology.links.size());
  for (std::size_t id = 0; id < use.size(); ++id)
    if (const auto like = places_[id].like; like != Automorphism::nowhere) use[id] = of_wires[like];
  return use;
}

bool Folding::has_alike_chunks(const ChunkLayout& layout) const {
  for (const auto group : orbit_.generators())
    for (std::uint32_t c = 0; c < layout.chunks(); ++c)
      if (const auto like = orbit_.turned_back(output(0, c), 1, group);
          like && layout.elements(like->chunk) != layout.elements(ChunkId{c}))
        return false;
  return true;
}

}  // namespace ringside::sim
