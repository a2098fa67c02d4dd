#include "sim/topology.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/suggest.hpp"

namespace ringside::sim {
namespace {

constexpr std::size_t most_ranks = std::size_t{1} << 20, most_links = std::size_t{1} << 24;
constexpr std::size_t most_devices = std::size_t{1} << 22;

constexpr std::array<std::string_view, 7> device_names{
    "gpu", "cpu", "memory", "pcie_switch", "nvswitch", "nic", "network_switch"};
constexpr std::array<std::string_view, link_kind_count> link_names{
    "nvlink", "xgmi", "c2c", "pcie", "socket", "memory", "ib", "roce", "ethernet", "link"};

Result<void> check(const Topology& topology, const Link& link, std::size_t id) {
  const auto devices = topology.devices.size();
  if (link.from.value >= devices || link.to.value >= devices)
    return bad_request("link " + std::to_string(id) + " of " + topology.name +
                       " joins a device that does not exist; there are " + std::to_string(devices));
  const auto wire = topology[link.from].name + "->" + topology[link.to].name;
  if (link.from == link.to)
    return bad_request("link " + wire + " of " + topology.name + " leads back to where it starts");
  if (link.bandwidth.bytes_per_second == 0)
    return bad_request("link " + wire + " of " + topology.name +
                       " has no bandwidth; it must be positive, such as 25GB/s");
  if (link.latency < Duration{})
    return bad_request("link " + wire + " of " + topology.name +
                       " has a negative latency; it must be zero or more, such as 1us");
  return {};
}

/// Why nothing there reduces. Where no switch does in any way, both ways have one and the same
/// reason.
std::string lacks_switch(const Topology& topology, InSwitch way, bool other_way) {
  const char* needed = !other_way ? "reducing in the switch needs one that can (NVLS, SHARP), "
                       : way == InSwitch::nvls ? "nvls needs a switch that reduces and multicasts, "
                                               : "sharp needs a switch with SHARP, ";
  std::string dead;
  for (const auto& link : topology.dead) dead += (dead.empty() ? "with " : ", ") + link;
  return std::string(needed) + "linked directly to every rank, and " +
         (dead.empty() ? "" : dead + " dead ") + topology.name + " has none";
}

}  // namespace

std::string_view name(DeviceKind kind) {
  return device_names[static_cast<std::size_t>(kind)];
}
std::string_view name(LinkKind kind) {
  return link_names[static_cast<std::size_t>(kind)];
}

Result<DeviceKind> parse_device_kind(std::string_view text) {
  const auto found = std::find(device_names.begin(), device_names.end(), text);
  if (found == device_names.end())
    return bad_request(unknown("kind of device", text, device_names));
  return static_cast<DeviceKind>(found - device_names.begin());
}
Result<LinkKind> parse_link_kind(std::string_view text) {
  const auto found = std::find(link_names.begin(), link_names.end(), text);
  if (found == link_names.end()) return bad_request(unknown("kind of link", text, link_names));
  return static_cast<LinkKind>(found - link_names.begin());
}

DeviceId Topology::add(Device device) {
  devices.push_back(std::move(device));
  return {static_cast<std::uint32_t>(devices.size()) - 1};
}

LinkId Topology::add(Link link) {
  links.push_back(link);
  return {static_cast<std::uint32_t>(links.size()) - 1};
}

void Topology::join(DeviceId a, DeviceId b, LinkKind kind, Bandwidth bandwidth, Duration latency) {
  add(Link{a, b, kind, bandwidth, latency});
  add(Link{b, a, kind, bandwidth, latency});
}

std::string Topology::link_name(LinkId id) const {
  const Link& link = (*this)[id];
  std::size_t parallel = 0, ordinal = 0;
  for (std::uint32_t other = 0; other < links.size(); ++other) {
    if (links[other].from != link.from || links[other].to != link.to) continue;
    ++parallel;
    if (other <= id.value) ++ordinal;
  }
  const auto wire = (*this)[link.from].name + "->" + (*this)[link.to].name;
  return parallel > 1 ? wire + "#" + std::to_string(ordinal) : wire;
}

Result<void> check(const Topology& topology) {
  if (topology.devices.size() > most_devices || topology.links.size() > most_links ||
      topology.ranks.size() > most_ranks)
    return bad_request(topology.name +
                       " is too large: at most 2^20 ranks, 2^22 devices and 2^24 "
                       "links can be simulated");
  std::unordered_set<std::string_view> names;
  for (const Device& device : topology.devices) {
    if (device.name.empty())
      return bad_request("a device of " + topology.name + " has no name; every device needs one");
    if (!names.insert(device.name).second)
      return bad_request("two devices of " + topology.name + " are named " + device.name +
                         "; names must differ");
  }
  for (std::size_t id = 0; id < topology.links.size(); ++id)
    RS_TRY(check(topology, topology.links[id], id));
  for (std::size_t r = 0; r < topology.ranks.size(); ++r)
    if (topology.ranks[r].value >= topology.devices.size())
      return bad_request("rank " + std::to_string(r) + " of " + topology.name +
                         " sits on a device that does not exist; there are " +
                         std::to_string(topology.devices.size()));
  return {};
}

Result<void> place_agents(Topology& topology, std::uint32_t agents, InSwitch way) {
  const auto linked_to_all = [&](std::uint32_t device) {
    std::vector<bool> sends(topology.devices.size()), receives(topology.devices.size());
    for (const Link& link : topology.links) {
      if (link.to.value == device) sends[link.from.value] = true;
      if (link.from.value == device) receives[link.to.value] = true;
    }
    return std::all_of(topology.ranks.begin(), topology.ranks.end(),
                       [&](DeviceId d) { return sends[d.value] && receives[d.value]; });
  };
  if (agents == 0) return {};
  std::vector<DeviceId> switches;
  bool other_way = false;  // some switch reduces, but not in the way asked for
  for (std::uint32_t d = 0; d < topology.devices.size(); ++d) {
    const Device& device = topology.devices[d];
    if (!(device.nvls || device.sharp) || !linked_to_all(d)) continue;
    if (way == InSwitch::nvls ? device.nvls : device.sharp)
      switches.push_back({d});
    else
      other_way = true;
  }
  if (switches.empty()) return bad_request(lacks_switch(topology, way, other_way));
  for (std::uint32_t a = 0; a < agents; ++a)
    topology.ranks.push_back(switches[a % switches.size()]);
  return {};
}

}  // namespace ringside::sim
