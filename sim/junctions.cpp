#include "sim/junctions.hpp"

#include <algorithm>
#include <optional>

namespace ringside::sim {
namespace {

/// More links of one cost than these are a crowd.
constexpr std::ptrdiff_t few = 16;

/// Links grouped by one of their ends; those without one are left out.
struct Grouped {
  std::vector<LinkId> links;
  std::vector<std::uint32_t> at;
};
template <typename End>
Grouped grouped(const Topology& topology, End end) {
  Grouped g;
  g.at.assign(topology.devices.size() + 1, 0);
  for (const Link& link : topology.links)
    if (const auto device = end(link)) ++g.at[device->value + 1];
  for (std::size_t d = 1; d < g.at.size(); ++d) g.at[d] += g.at[d - 1];
  g.links.resize(g.at.back());
  auto next = g.at;
  for (std::uint32_t id = 0; id < topology.links.size(); ++id)
    if (const auto device = end(topology.links[id])) g.links[next[device->value]++] = {id};
  return g;
}

}  // namespace

Junctions::Junctions(const Topology& topology)
    : topology_(topology), crowded_(topology.links.size()) {
  using End = std::optional<DeviceId>;
  auto out = grouped(topology, [](const Link& link) -> End { return link.from; });
  auto in = grouped(topology, [&](const Link& link) -> End {  // nobody else is passed through
    return topology[link.from].forwards ? End{link.to} : std::nullopt;
  });
  leaving_ = std::move(out.links), leaving_at_ = std::move(out.at);
  entering_ = std::move(in.links), entering_at_ = std::move(in.at);
  entering_end_.assign(entering_at_.begin() + 1, entering_at_.end());
  for (std::uint32_t d = 0; d < topology.devices.size(); ++d) {
    set_crowds_apart({d});
    std::stable_sort(leaving_.begin() + leaving_at_[d], leaving_.begin() + leaving_at_[d + 1],
                     [&](LinkId a, LinkId b) { return topology[a].to < topology[b].to; });
  }
}

void Junctions::set_crowds_apart(DeviceId device) {
  const auto begin = entering_.begin() + entering_at_[device.value];
  const auto end = entering_.begin() + entering_at_[device.value + 1];
  if (end - begin <= few) return;
  const auto cheaper = [this](LinkId a, LinkId b) { return cost(a) < cost(b); };
  std::stable_sort(begin, end, cheaper);
  for (auto alike = begin; alike != end;) {
    const auto next = std::upper_bound(alike, end, *alike, cheaper);
    if (next - alike > few) {
      if (crowd_at(device) == no_way) crowds_.set(device.value, cost(*alike));
      for (auto id = alike; id != next; ++id) crowded_[id->value] = true;
    }
    alike = next;
  }
  const auto crowd =
      std::stable_partition(begin, end, [this](LinkId id) { return !is_of_a_crowd(id); });
  entering_end_[device.value] = static_cast<std::uint32_t>(crowd - entering_.begin());
}

WayCost Junctions::cost(LinkId id) const {
  const Link& link = topology_[id];
  WayCost cost{.latency = link.latency};
  switch (link.kind) {
    case LinkKind::pcie:
    case LinkKind::c2c:
    case LinkKind::socket:
    case LinkKind::memory:
      cost.host_links = 1;
      break;
    case LinkKind::ib:
    case LinkKind::roce:
    case LinkKind::ethernet:
      cost.adapters = topology_[link.from].kind == DeviceKind::nic ||
                      topology_[link.to].kind == DeviceKind::nic;
      break;
    default:
      break;
  }
  return cost;
}

std::span<const LinkId> Junctions::leaving(DeviceId d) const {
  return {leaving_.data() + leaving_at_[d.value], leaving_.data() + leaving_at_[d.value + 1]};
}
std::span<const LinkId> Junctions::between(DeviceId from, DeviceId to) const {
  const auto links = leaving(from);
  const auto begin = std::partition_point(links.begin(), links.end(),
                                          [&](LinkId id) { return topology_[id].to < to; });
  const auto end =
      std::find_if(begin, links.end(), [&](LinkId id) { return topology_[id].to != to; });
  return {begin, end};
}
std::span<const LinkId> Junctions::entering(DeviceId d) const {
  return {entering_.data() + entering_at_[d.value], entering_.data() + entering_end_[d.value]};
}

}  // namespace ringside::sim
