#include "viz/terminal/topology_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/formats/row_json.hpp"
#include "core/suggest.hpp"
#include "sim/router.hpp"

namespace ringside::terminal {
namespace {

using sim::DeviceKind;
using sim::LinkKind;
constexpr std::size_t most_in_matrix = 16;
constexpr std::size_t most_in_tree = 200;
constexpr std::size_t most_neighbours = 32;

std::string rate(Bandwidth bandwidth) {
  return fmt::format("{:.4g}", bandwidth.gigabytes_per_second());
}

std::string summary(const sim::Topology& topology) {
  std::map<DeviceKind, std::size_t> devices;
  for (const auto& device : topology.devices) ++devices[device.kind];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : devices)
    parts.push_back(fmt::format("{} {}", count, name(kind)));
  std::string text =
      fmt::format("{}: {}, {}; {}\n", topology.name, counted(topology.ranks.size(), "rank"),
                  counted(topology.nodes, "node"), fmt::join(parts, ", "));
  if (!topology.peer_to_peer)
    text +=
        "GPUs cannot reach each other's memory: what goes between them passes through host "
        "memory\n";
  return text;
}

/// `nvlink    112 links of 50 GB/s, 0.5 us`: one line for each kind and figure.
std::string wires(const sim::Topology& topology) {
  std::map<std::tuple<LinkKind, std::uint64_t, std::int64_t>, std::size_t> counts;
  for (const auto& link : topology.links)
    ++counts[{link.kind, link.bandwidth.bytes_per_second, link.latency.picoseconds}];
  std::string text = "\nlinks (each way counted)\n";
  for (const auto& [figures, count] : counts) {
    const auto& [kind, bandwidth, latency] = figures;
    text += fmt::format("  {:<9} {:>5} of {:>8} GB/s, {}\n", name(kind), count, rate({bandwidth}),
                        to_string(Duration{latency}));
  }
  return text;
}

/// The machine as a tree: every device under the first one that reaches it, starting from the CPUs.
class Tree {
 public:
  explicit Tree(const sim::Topology& topology)
      : topology_(topology), below_(topology.devices.size()), seen_(topology.devices.size()) {
    for (std::uint32_t id = 0; id < topology.links.size(); ++id)
      below_[topology.links[id].from.value].push_back({id});
  }

  std::string draw() {
    std::string text;
    for (const DeviceKind kind :
         {DeviceKind::cpu, DeviceKind::nvswitch, DeviceKind::network_switch,
          DeviceKind::pcie_switch, DeviceKind::gpu, DeviceKind::nic, DeviceKind::memory})
      for (std::uint32_t d = 0; d < topology_.devices.size(); ++d)
        if (topology_.devices[d].kind == kind && !seen_[d]) {
          seen_[d] = true;
          text += "  " + topology_.devices[d].name + "\n" + branches({d}, "  ");
        }
    return text;
  }

 private:
  /// Switches and sockets carry others; a branch never climbs back into another socket.
  bool hangs_below(DeviceId device, DeviceId parent) const {
    const auto kind = topology_[device].kind;
    const auto above = topology_[parent].kind;
    if (kind == DeviceKind::cpu || kind == DeviceKind::nvswitch ||
        kind == DeviceKind::network_switch)
      return false;
    return above != DeviceKind::gpu && above != DeviceKind::nic && above != DeviceKind::memory;
  }

  std::string branches(DeviceId parent, const std::string& indent) {
    std::vector<LinkId> down;
    for (const LinkId id : below_[parent.value]) {
      const DeviceId to = topology_[id].to;
      if (seen_[to.value] || !hangs_below(to, parent)) continue;
      seen_[to.value] = true;
      down.push_back(id);
    }
    std::string text;
    for (std::size_t i = 0; i < down.size(); ++i) {
      const bool last = i + 1 == down.size();
      const auto& link = topology_[down[i]];
      text += fmt::format("{}{} {}  {} {} GB/s\n", indent, last ? "└─" : "├─",
                          topology_[link.to].name, name(link.kind), rate(link.bandwidth));
      text += branches(link.to, indent + (last ? "   " : "│  "));
    }
    return text;
  }

  const sim::Topology& topology_;
  std::vector<std::vector<LinkId>> below_;
  std::vector<bool> seen_;
};

/// True if something but GPUs' own wires carries: only then is there a tree to draw.
bool has_tree(const sim::Topology& topology) {
  return std::any_of(topology.devices.begin(), topology.devices.end(), [](const auto& device) {
    return device.kind != DeviceKind::gpu && device.kind != DeviceKind::nic &&
           device.kind != DeviceKind::memory;
  });
}

/// `gpu0 - gpu1, gpu3`: whom each device is linked to; a link without its way back says so.
std::string neighbours(const sim::Topology& topology) {
  std::vector<std::set<std::uint32_t>> sends(topology.devices.size());
  for (const auto& link : topology.links) sends[link.from.value].insert(link.to.value);
  std::string text;
  for (std::uint32_t d = 0; d < topology.devices.size(); ++d) {
    std::vector<std::string> names;
    for (const std::uint32_t to : sends[d])
      names.push_back(topology.devices[to].name + (sends[to].contains(d) ? "" : " (one way)"));
    text += fmt::format("  {} - {}\n", topology.devices[d].name,
                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  }
  return text;
}

std::string wiring(const sim::Topology& topology) {
  if (has_tree(topology))
    return topology.devices.size() > most_in_tree ? "" : "\nas a tree\n" + Tree(topology).draw();
  return topology.devices.size() > most_neighbours ? "" : "\nneighbours\n" + neighbours(topology);
}

/// The slowest wire between two ranks: `nvlink 300`.
std::string between(const sim::Topology& topology, sim::Router& router, Rank a, Rank b) {
  if (a == b) return "X";
  const auto route = router.route(a, b, {0});
  if (!route) return "none";
  if (route->empty()) return "same";
  LinkId slowest = route->front();
  bool host = false;
  for (const LinkId id : *route) {
    if (topology[id].bandwidth < topology[slowest].bandwidth) slowest = id;
    host |= topology[topology[id].to].kind == DeviceKind::memory;
  }
  return fmt::format("{}{} {}", host ? "host+" : "", name(topology[slowest].kind),
                     rate(topology[slowest].bandwidth));
}

std::string matrix(const sim::Topology& topology) {
  const auto n = std::min(topology.ranks.size(), most_in_matrix);
  sim::Router router(topology);
  std::vector<std::vector<std::string>> cells(n + 1, std::vector<std::string>(n + 1));
  std::size_t width = 0;
  for (std::uint32_t a = 0; a < n; ++a) {
    cells[0][a + 1] = cells[a + 1][0] = topology[topology.ranks[a]].name;
    for (std::uint32_t b = 0; b < n; ++b) cells[a + 1][b + 1] = between(topology, router, {a}, {b});
  }
  for (const auto& row : cells)
    for (const auto& cell : row) width = std::max(width, cell.size());
  std::string text = "\nslowest wire between two ranks, GB/s";
  if (n < topology.ranks.size())
    text += fmt::format(" (the first {} of {})", n, topology.ranks.size());
  text += "\n";
  for (const auto& row : cells) {
    std::string line = " ";
    for (const auto& cell : row) line += fmt::format(" {:<{}}", cell, width);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string draw_topology(const sim::Topology& topology) {
  std::string text = summary(topology) + wires(topology) + wiring(topology);
  if (topology.ranks.size() > 1) text += matrix(topology);
  if (!topology.assumed.empty()) text += "\nassumed, because the input does not say\n";
  for (const auto& sentence : topology.assumed) text += "  " + sentence + "\n";
  return text;
}

std::string topology_json(const sim::Topology& topology, const std::vector<Condition>& conditions) {
  using Json = nlohmann::ordered_json;
  Json json{{"ringside", 1}, {"command", "topo"}};
  Json machine{{"name", topology.name},
               {"ranks", topology.ranks.size()},
               {"nodes", topology.nodes},
               {"peer_to_peer", topology.peer_to_peer}};
  if (!conditions.empty()) machine["conditions"] = conditions_json<Json>(conditions);
  json["results"].push_back(std::move(machine));
  json["devices"] = json["links"] = Json::array();
  json["assumed"] = topology.assumed;
  std::map<DeviceId, std::uint32_t> rank_of;
  for (std::uint32_t r = 0; r < topology.ranks.size(); ++r)
    rank_of.try_emplace(topology.ranks[r], r);
  for (std::uint32_t d = 0; d < topology.devices.size(); ++d) {
    const auto& device = topology.devices[d];
    Json entry{{"name", device.name}, {"kind", name(device.kind)}, {"node", device.node}};
    if (const auto rank = rank_of.find({d}); rank != rank_of.end()) entry["rank"] = rank->second;
    json["devices"].push_back(entry);
  }
  const auto link_names = topology.link_names();
  for (std::size_t l = 0; l < topology.links.size(); ++l) {
    const auto& link = topology.links[l];
    json["links"].push_back({{"name", link_names[l]},
                             {"from", topology[link.from].name},
                             {"to", topology[link.to].name},
                             {"kind", name(link.kind)},
                             {"bandwidth_GBps", link.bandwidth.gigabytes_per_second()},
                             {"latency_us", link.latency.microseconds()}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ringside::terminal
