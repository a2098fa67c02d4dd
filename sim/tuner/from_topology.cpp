// A platform from the simulator's devices and wires.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/suggest.hpp"
#include "sim/networks.hpp"
#include "sim/platform.hpp"
#include "sim/tuner/figures.hpp"

namespace ringside::sim {
namespace {

/// The rates of a device's outgoing links, summed by kind.
using Rates = std::array<std::uint64_t, link_kind_count>;

Rates rates_out_of(const Topology& topology, DeviceId device) {
  Rates rates{};
  for (const Link& link : topology.links)
    if (link.from == device)
      rates[static_cast<std::size_t>(link.kind)] += link.bandwidth.bytes_per_second;
  return rates;
}

std::uint64_t of(const Rates& rates, LinkKind kind) {
  return rates[static_cast<std::size_t>(kind)];
}

/// Of a preset, or copies of one (`dgx-h100 x 2`); empty of what someone wrote.
std::string generation_of_preset(const std::string& topology) {
  for (const auto& generation : built_in_figures().generations)
    for (const auto& system : generation.systems)
      if (topology == system || topology.starts_with(system + " x ")) return generation.name;
  return "";
}

/// The generation whose links or slots come nearest to what the GPU has.
std::string guess_generation(const Platform& platform) {
  if (platform.wire == Wire::xgmi) return "cdna3";
  const double rate = platform.gpu_bandwidth.gigabytes_per_second();
  if (platform.wire != Wire::nvlink) return rate < 18 ? "turing" : rate < 36 ? "ada" : "hopper";
  std::string nearest = "hopper";
  double least = forever.microseconds();
  for (const auto& generation : built_in_figures().generations) {
    const double off = std::abs(generation.link * generation.links - rate);
    if (generation.name == "cdna3" || generation.links == 0 || off >= least) continue;
    least = off;
    nearest = generation.name;
  }
  return nearest;
}

Result<void> count_nodes(const Topology& topology, Platform& platform) {
  std::map<std::uint32_t, std::uint32_t> gpus_of;
  for (const DeviceId rank : topology.ranks)
    if (topology[rank].kind == DeviceKind::gpu) ++gpus_of[topology[rank].node];
  if (gpus_of.empty())
    return bad_request("no GPU of this topology takes part: NCCL has nothing to run on");
  platform.nodes = static_cast<std::uint32_t>(gpus_of.size());
  platform.per_node = gpus_of.begin()->second;
  for (const auto& [node, gpus] : gpus_of)
    if (gpus != platform.per_node)
      return bad_request("NCCL's times are predicted for nodes alike, and node " +
                         std::to_string(node) + " has " + counted(gpus, "GPU") + ", others " +
                         std::to_string(platform.per_node));
  return {};
}

/// How many nodes' GPUs hang on the NVSwitch that `gpu` hangs on; 1 without one.
std::uint32_t share_a_switch(const Topology& topology, DeviceId gpu, bool& reduces) {
  const auto leads = [&](const Link& link) {
    return link.from == gpu && topology[link.to].kind == DeviceKind::nvswitch;
  };
  const auto found = std::find_if(topology.links.begin(), topology.links.end(), leads);
  if (found == topology.links.end()) return 1;
  reduces = topology[found->to].nvls;
  std::set<std::uint32_t> nodes;
  for (const Link& link : topology.links)
    if (link.to == found->to) nodes.insert(topology[link.from].node);
  return static_cast<std::uint32_t>(nodes.size());
}

/// What traffic between the first GPU and the last of its node meets in.
HostPath path_between(const Topology& topology) {
  const DeviceId first = topology.ranks.front();
  DeviceId last = first;
  for (const DeviceId rank : topology.ranks)
    if (topology[rank].node == topology[first].node) last = rank;
  const auto above = [&](DeviceId below, DeviceKind kind) {
    for (const Link& link : topology.links)
      if (link.from == below && topology[link.to].kind == kind) return link.to;
    return below;
  };
  const DeviceId a = above(first, DeviceKind::pcie_switch),
                 b = above(last, DeviceKind::pcie_switch);
  if (a == b) return HostPath::one_switch;
  const bool is_one_socket = above(a, DeviceKind::cpu) == above(b, DeviceKind::cpu);
  return is_one_socket ? HostPath::one_socket : HostPath::sockets;
}

void see_wires(const Topology& topology, Platform& platform) {
  const DeviceId first = topology.ranks.front();
  const Rates rates = rates_out_of(topology, first);
  std::uint64_t rate = 0;
  if (of(rates, LinkKind::nvlink) > 0) {
    platform.wire = Wire::nvlink;
    rate = of(rates, LinkKind::nvlink);
  } else if (of(rates, LinkKind::xgmi) > 0) {
    platform.wire = Wire::xgmi;
    rate = of(rates, LinkKind::xgmi);
  } else {
    platform.wire = topology.peer_to_peer ? Wire::pcie : Wire::host;
    rate = of(rates, LinkKind::pcie);
  }
  platform.gpu_bandwidth = {rate};
  platform.nodes_per_domain =
      evenly(platform.nodes, share_a_switch(topology, first, platform.in_switch));
  platform.path = path_between(topology);
}

bool is_network(LinkKind kind) {
  return kind == LinkKind::ib || kind == LinkKind::roce || kind == LinkKind::ethernet;
}

Result<void> see_network(const Topology& topology, std::string_view name, Platform& platform) {
  RS_ASSIGN(const Network* network, find_network(name));
  platform.network = network->kind == LinkKind::ib
                         ? "ib"
                         : std::string(name.substr(0, name.find_first_of("0123456789")));
  const std::uint32_t node = topology[topology.ranks.front()].node;
  for (const Link& link : topology.links) {
    const Device& from = topology[link.from];
    if (from.kind != DeviceKind::nic || from.node != node || !is_network(link.kind)) continue;
    ++platform.nics;
    platform.nic_bandwidth = link.bandwidth;
  }
  // The simulator's links carry what is attainable; the tuner's figures are of the line.
  const double as_built = static_cast<double>(platform.nic_bandwidth.bytes_per_second) /
                          static_cast<double>(network->bandwidth.bytes_per_second);
  platform.nic_bandwidth = {static_cast<std::uint64_t>(
      std::llround(as_built * static_cast<double>(network->line.bytes_per_second)))};
  platform.gpu_direct = topology.peer_to_peer;
  return {};
}

}  // namespace

Result<Platform> platform_of(const Topology& topology, std::string_view network) {
  Platform platform;
  RS_TRY(count_nodes(topology, platform));
  see_wires(topology, platform);
  if (platform.ranks() > 1 && platform.per_node > 1 && platform.gpu_bandwidth.bytes_per_second == 0)
    return bad_request(topology.name +
                       " is bare wires, which NCCL does not run on: it needs GPUs joined by "
                       "NVLink, xGMI or PCIe, such as --system dgx-h100");
  platform.generation = generation_of_preset(topology.name);
  if (platform.generation.empty()) {
    platform.generation = guess_generation(platform);
    platform.assumed.push_back("GPUs of generation " + platform.generation +
                               ", to judge by their links");
  }
  if (platform.domains() > 1) RS_TRY(see_network(topology, network, platform));
  RS_TRY(check(platform));
  return platform;
}

}  // namespace ringside::sim
