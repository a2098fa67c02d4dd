#include "sim/folding.hpp"

#include <string>
#include <utility>

#include "core/suggest.hpp"

namespace ringside::sim {

Result<Folding> Folding::find(const Story& story, const Orbit& orbit, const Topology& topology) {
  if (!orbit.repeats()) return bad_request("no group of its ranks does what all others do");
  if (story.agents > 0) return bad_request("switches take part");
  if (topology.ranks.size() != story.spec.ranks)
    return bad_request("not all ranks of " + topology.name + " take part");
  RS_ASSIGN(const auto wires, models::wires_of(topology));
  Result<Rotation> rotation = bad_request("");
  Folding folding;
  std::string why;  // of the finest
  for (std::uint32_t times = 1; times < orbit.groups && !rotation; ++times) {
    if (orbit.groups % times != 0) continue;
    folding.orbit_ = orbit.coarser(times);
    rotation = rotation_by(topology, folding.orbit_.ranks);
    if (!rotation && why.empty()) why = rotation.error().message;
  }
  if (!rotation) return bad_request(why);
  folding.place_all(*rotation, topology, wires);
  return folding;
}

/// Goes round from each wire to what it is carried to, until it is back.
void Folding::place_all(const Rotation& rotation, const Topology& topology,
                        std::span<const models::Wire> wires) {
  const auto links = topology.links.size();
  const auto next = [&](std::uint32_t wire) {
    return wire < links ? rotation.link[wire]
                        : static_cast<std::uint32_t>(links) + rotation.device[wire - links];
  };
  const auto is_mapped = [&](std::uint32_t wire) {
    return (wire < links ? rotation.link[wire] : rotation.device[wire - links]) !=
           Rotation::nowhere;
  };
  places_.resize(wires.size());
  std::vector<bool> visited(wires.size());
  for (std::uint32_t first = 0; first < wires.size(); ++first) {
    if (visited[first] || !is_mapped(first)) continue;
    const auto like = static_cast<std::uint32_t>(wires_.size());
    std::uint32_t round = 0, wire = first;
    for (; !visited[wire]; wire = next(wire), ++round) {
      visited[wire] = true;
      places_[wire] = {like, round};
    }
    if (round == orbit_.groups) {
      wires_.push_back(wires[first]);
      continue;
    }
    for (; places_[wire].like == like; wire = next(wire)) places_[wire] = {};
  }
}

Result<Folding::Place> Folding::place_of(std::uint32_t wire, const Topology& topology) const {
  const Place place = places_[wire];
  if (place.like != Rotation::nowhere) return place;
  return bad_request("several groups of ranks share " +
                     (wire < topology.links.size()
                          ? topology.link_name({wire})
                          : topology.devices[wire - topology.links.size()].name + "'s memory"));
}

std::vector<LinkUse> Folding::use_of_all(std::span<const LinkUse> of_wires,
                                         const Topology& topology) const {
  std::vector<LinkUse> use(topology.links.size());
  for (std::size_t id = 0; id < use.size(); ++id)
    if (const auto like = places_[id].like; like != Rotation::nowhere) use[id] = of_wires[like];
  return use;
}

bool Folding::has_alike_chunks(const ChunkLayout& layout) const {
  for (std::uint32_t c = 0; c < layout.chunks(); ++c)
    if (const auto like = orbit_.turned_back(output(0, c), 1, 1);
        like && layout.elements(like->chunk) != layout.elements(ChunkId{c}))
      return false;
  return true;
}

}  // namespace ringside::sim
