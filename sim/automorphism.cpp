#include "sim/automorphism.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>

#include "core/assert.hpp"

namespace ringside::sim {
namespace {

class Finder {
 public:
  explicit Finder(const Topology& topology) : topology_(topology) {
    map_.device.assign(topology.devices.size(), Automorphism::nowhere);
    map_.link.assign(topology.links.size(), Automorphism::nowhere);
    map_.keeps_order.assign(topology.devices.size(), false);
    is_image_.assign(topology.devices.size(), false);
    leaving_at_.assign(topology.devices.size() + 1, 0);
    for (const Link& link : topology.links) ++leaving_at_[link.from.value + 1];
    for (std::size_t d = 1; d < leaving_at_.size(); ++d) leaving_at_[d] += leaving_at_[d - 1];
    leaving_.resize(topology.links.size());
    auto next = leaving_at_;
    for (std::uint32_t id = 0; id < topology.links.size(); ++id)
      leaving_[next[topology.links[id].from.value]++] = id;
  }

  Result<Automorphism> find(std::span<const std::uint32_t> image) && {
    const auto& seats = topology_.ranks;
    RS_ASSERT(image.size() == seats.size(), "every rank has an image");
    for (std::size_t r = 0; r < seats.size(); ++r) RS_TRY(map(seats[r], seats[image[r]]));
    for (std::size_t at = 0; at < mapped_.size(); ++at) {
      RS_TRY(map_neighbours(mapped_[at]));
      RS_TRY(map_links(mapped_[at]));
    }
    return std::move(map_);
  }

 private:
  std::span<const std::uint32_t> leaving(DeviceId d) const {
    return std::span(leaving_).subspan(leaving_at_[d.value],
                                       leaving_at_[d.value + 1] - leaving_at_[d.value]);
  }
  DeviceId image(DeviceId d) const { return {map_.device[d.value]}; }

  tl::unexpected<Error> unlike(DeviceId a, DeviceId b) const {
    return bad_request(topology_[a].name + " and " + topology_[b].name + " are not joined alike");
  }

  Result<void> map(DeviceId device, DeviceId to) {
    auto& image = map_.device[device.value];
    if (image == to.value) return {};
    const Device &a = topology_[device], &b = topology_[to];
    const bool alike = a.kind == b.kind && a.forwards == b.forwards && a.memory == b.memory;
    if (image != Automorphism::nowhere || is_image_[to.value] || !alike) return unlike(device, to);
    image = to.value;
    is_image_[to.value] = true;
    mapped_.push_back(device);
    return {};
  }

  /// What no rank is on: the first that is new here is carried to the first that is new there.
  Result<void> map_neighbours(DeviceId device) {
    const auto here = leaving(device), there = leaving(image(device));
    auto other = there.begin();
    for (const auto id : here) {
      const DeviceId to = topology_.links[id].to;
      if (map_.device[to.value] != Automorphism::nowhere) continue;
      while (other != there.end() && is_image_[topology_.links[*other].to.value]) ++other;
      if (other == there.end()) return unlike(device, image(device));
      RS_TRY(map(to, topology_.links[*other].to));
    }
    return {};
  }

  /// Where a link leads and what it carries.
  using Figures = std::tuple<std::uint32_t, LinkKind, std::uint64_t, Duration, std::uint32_t>;
  Figures figures(std::uint32_t id, std::uint32_t to) const {
    const Link& link = topology_.links[id];
    return {to, link.kind, link.bandwidth.bytes_per_second, link.latency, id};
  }

  Result<void> map_links(DeviceId device) {
    here_.clear();
    there_.clear();
    for (const auto id : leaving(device))
      here_.push_back(figures(id, image(topology_.links[id].to).value));
    for (const auto id : leaving(image(device)))
      there_.push_back(figures(id, topology_.links[id].to.value));
    std::sort(here_.begin(), here_.end());
    std::sort(there_.begin(), there_.end());
    if (here_.size() != there_.size()) return unlike(device, image(device));
    for (std::size_t i = 0; i < here_.size(); ++i) {
      const auto [to, kind, bandwidth, latency, id] = here_[i];
      const auto& other = there_[i];
      if (Figures{to, kind, bandwidth, latency, std::get<4>(other)} != other)
        return unlike(device, image(device));
      map_.link[id] = std::get<4>(other);
    }
    map_.keeps_order[device.value] = std::ranges::is_sorted(
        leaving(device), {}, [&](std::uint32_t id) { return map_.link[id]; });
    return {};
  }

  const Topology& topology_;
  Automorphism map_;
  std::vector<bool> is_image_;
  std::vector<DeviceId> mapped_;                     // its links are followed in this order
  std::vector<std::uint32_t> leaving_, leaving_at_;  // LinkIds by device, ids ascending
  std::vector<Figures> here_, there_;
};

}  // namespace

Result<Automorphism> automorphism(const Topology& topology, std::span<const std::uint32_t> image) {
  return Finder(topology).find(image);
}

}  // namespace ringside::sim
