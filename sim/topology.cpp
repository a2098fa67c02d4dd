#include "sim/topology.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "core/assert.hpp"
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

std::vector<std::string> Topology::link_names() const {
  const auto ends = [](const Link& link) {
    return std::uint64_t{link.from.value} << 32 | link.to.value;
  };
  struct Parallel {
    std::uint32_t count = 0, named = 0;
  };
  std::unordered_map<std::uint64_t, Parallel> parallel;
  for (const Link& link : links) ++parallel[ends(link)].count;
  std::vector<std::string> names;
  names.reserve(links.size());
  for (const Link& link : links) {
    auto& [count, named] = parallel[ends(link)];
    names.push_back((*this)[link.from].name + "->" + (*this)[link.to].name);
    if (count > 1) names.back() += "#" + std::to_string(++named);
  }
  return names;
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

std::string with_dead(const Topology& topology) {
  constexpr std::size_t shown = 4;
  if (topology.dead.empty()) return "";
  std::string text = "with " + topology.dead.front();
  for (std::size_t i = 1; i < std::min(shown, topology.dead.size()); ++i)
    text += ", " + topology.dead[i];
  return text + (topology.dead.size() > shown ? ", ... dead " : " dead ");
}

namespace {

/// A switch that reduces, and the ranks that lack a wire to it or from it.
struct Seat {
  DeviceId device;
  bool this_way = false;    ///< it reduces in the way asked for
  std::size_t missing = 0;  ///< ranks
  std::string wire{};       ///< that the first of them lacks
};

Seat seat_on(const Topology& topology, DeviceId device, InSwitch way) {
  std::vector<bool> sends(topology.devices.size()), receives(topology.devices.size());
  for (const Link& link : topology.links) {
    if (link.to == device) sends[link.from.value] = true;
    if (link.from == device) receives[link.to.value] = true;
  }
  const Device& there = topology[device];
  Seat seat{.device = device, .this_way = way == InSwitch::nvls ? there.nvls : there.sharp};
  for (const DeviceId rank : topology.ranks) {
    if (sends[rank.value] && receives[rank.value]) continue;
    const auto& here = topology[rank].name;
    if (seat.missing++ == 0)
      seat.wire = sends[rank.value] ? there.name + "->" + here : here + "->" + there.name;
  }
  return seat;
}

/// Why no seat will do. Where none does in any way, both ways have one and the same reason.
std::string why_none(const Topology& topology, InSwitch way, std::span<const Seat> seats) {
  const bool other_way = std::any_of(seats.begin(), seats.end(),
                                     [](const Seat& s) { return !s.this_way && s.missing == 0; });
  std::string reason = !other_way ? "reducing in the switch needs one that can (NVLS, SHARP)"
                       : way == InSwitch::nvls ? "nvls needs a switch that reduces and multicasts"
                                               : "sharp needs a switch with SHARP";
  reason += ", linked directly to every rank, and ";
  const Seat* nearest = nullptr;
  for (const Seat& seat : seats)
    if ((seat.this_way || !other_way) && (!nearest || seat.missing < nearest->missing))
      nearest = &seat;
  if (!nearest) return reason + topology.name + " has none";
  return reason + with_dead(topology) + topology.name + " has no link " + nearest->wire;
}

}  // namespace

Result<void> place_agents(Topology& topology, std::uint32_t agents, InSwitch way) {
  if (agents == 0) return {};
  RS_ASSERT(way != InSwitch::none, "agents sit in a switch that reduces in one way or the other");
  std::vector<Seat> seats;
  std::vector<DeviceId> switches;
  for (std::uint32_t d = 0; d < topology.devices.size(); ++d) {
    if (!topology.devices[d].nvls && !topology.devices[d].sharp) continue;
    seats.push_back(seat_on(topology, {d}, way));
    if (seats.back().this_way && seats.back().missing == 0) switches.push_back({d});
  }
  if (switches.empty()) return bad_request(why_none(topology, way, seats));
  for (std::uint32_t a = 0; a < agents; ++a)
    topology.ranks.push_back(switches[a % switches.size()]);
  return {};
}

}  // namespace ringside::sim
