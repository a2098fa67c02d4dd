#include "sim/topology.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
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

/// Splits `a->b#2` into its parts; ordinal 0 means all parallel links.
struct LinkName {
  std::string_view from, to;
  std::size_t ordinal = 0;
};
Result<LinkName> parse_link_name(std::string_view name) {
  const auto malformed = [&] {
    return bad_request("\"" + std::string(name.substr(0, 64)) +
                       "\" is not a link: expected FROM->TO, as in gpu3->nvsw0, or "
                       "gpu3->nvsw0#1 for one of several");
  };
  if (name.find(',') != std::string_view::npos)
    return bad_request(in_quotes(name) +
                       " is not one link: give the flag once for each, such as gpu3->nvsw0");
  const auto arrow = name.find("->");
  if (arrow == std::string_view::npos) return malformed();
  LinkName parts{name.substr(0, arrow), name.substr(arrow + 2)};
  if (const auto hash = parts.to.find('#'); hash != std::string_view::npos) {
    const auto digits = parts.to.substr(hash + 1);
    parts.to = parts.to.substr(0, hash);
    if (digits.empty() || digits.size() > 8) return malformed();
    for (const char c : digits) {
      if (c < '0' || c > '9') return malformed();
      parts.ordinal = parts.ordinal * 10 + static_cast<std::size_t>(c - '0');
    }
    if (parts.ordinal == 0) return malformed();
  }
  return parts;
}

/// The devices one link away, for the message about a link that is not there.
std::string neighbours(const Topology& topology, DeviceId device) {
  constexpr std::size_t shown = 16;
  std::vector<std::uint32_t> seen;
  for (const Link& link : topology.links)
    if (link.from == device) seen.push_back(link.to.value);
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  if (seen.empty()) return "none";
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, seen.size()); ++i)
    list += (i ? ", " : "") + topology.devices[seen[i]].name;
  return seen.size() > shown ? list + ", ..." : list;
}

std::optional<std::uint32_t> number_after(std::string_view stem, std::string_view name) {
  if (!name.starts_with(stem)) return std::nullopt;
  std::uint32_t number = 0;
  const auto* last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + stem.size(), last, number);
  if (error != std::errc{} || end != last) return std::nullopt;
  return number;
}

/// `GPUs are gpu0 to gpu7` for gpu9: a number too high is no misspelling. Empty if the devices of
/// that name are not numbered in a row, or are fewer than two.
std::string numbered_alike(const Topology& topology, std::string_view name) {
  const auto stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
  if (stem.empty() || stem.size() == name.size()) return "";
  std::vector<std::uint32_t> numbers;
  bool gpus = true;
  for (const Device& device : topology.devices)
    if (const auto number = number_after(stem, device.name)) {
      numbers.push_back(*number);
      gpus = gpus && device.kind == DeviceKind::gpu;
    }
  if (numbers.size() < 2) return "";
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  if (*most - *least + 1 != numbers.size()) return "";
  return (gpus ? "GPUs are " : "there are ") + std::string(stem) + std::to_string(*least) + " to " +
         std::string(stem) + std::to_string(*most);
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

Result<DeviceId> find_device(const Topology& topology, std::string_view name) {
  for (std::uint32_t id = 0; id < topology.devices.size(); ++id)
    if (topology.devices[id].name == name) return DeviceId{id};
  if (const auto alike = numbered_alike(topology, name); !alike.empty())
    return bad_request("there is no device " + std::string(name.substr(0, 64)) + " in " +
                       topology.name + "; " + alike);
  std::vector<std::string_view> known;
  for (const Device& device : topology.devices) known.push_back(device.name);
  if (nearest(name, known).empty() && known.size() > 32) known.resize(32);
  return bad_request(unknown("device in " + topology.name, name, known));
}

Result<std::vector<LinkId>> find_links(const Topology& topology, std::string_view name) {
  RS_ASSIGN(const auto parts, parse_link_name(name));
  RS_ASSIGN(const auto from, find_device(topology, parts.from));
  RS_ASSIGN(const auto to, find_device(topology, parts.to));
  std::vector<LinkId> found;
  for (std::uint32_t id = 0; id < topology.links.size(); ++id)
    if (topology.links[id].from == from && topology.links[id].to == to) found.push_back({id});
  if (found.empty())
    return bad_request("there is no link " + std::string(name) + " in " + topology.name + "; " +
                       topology[from].name + " has links to " + neighbours(topology, from));
  if (parts.ordinal == 0) return found;
  if (parts.ordinal > found.size())
    return bad_request("there is no link " + std::string(name) + " in " + topology.name + ": " +
                       topology[from].name + "->" + topology[to].name + " has " +
                       std::to_string(found.size()) + (found.size() == 1 ? " link" : " links"));
  return std::vector{found[parts.ordinal - 1]};
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
  for (std::uint32_t d = 0; d < topology.devices.size(); ++d) {
    const Device& device = topology.devices[d];
    if ((way == InSwitch::nvls ? device.nvls : device.sharp) && linked_to_all(d))
      switches.push_back({d});
  }
  if (switches.empty())
    return bad_request(
        (way == InSwitch::nvls
             ? "nvls needs a switch that reduces, such as the NVSwitch of an H100 or later, "
             : "sharp needs a switch with SHARP, ") +
        ("linked directly to every rank, and " + topology.name + " has none"));
  for (std::uint32_t a = 0; a < agents; ++a)
    topology.ranks.push_back(switches[a % switches.size()]);
  return {};
}

}  // namespace ringside::sim
