#include "sim/cluster.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/suggest.hpp"
#include "sim/networks.hpp"

namespace ringside::sim {
namespace {

constexpr std::uint64_t most_nodes = std::uint64_t{1} << 20, most_links = std::uint64_t{1} << 24,
                        most_devices = std::uint64_t{1} << 22;

std::string network_names() {
  std::string names;
  for (const auto& network : networks()) names += " " + std::string(network.name);
  return names;
}

std::vector<DeviceId> nics(const Topology& node) {
  std::vector<DeviceId> found;
  for (std::uint32_t i = 0; i < node.devices.size(); ++i)
    if (node.devices[i].kind == DeviceKind::nic) found.push_back({i});
  return found;
}

/// Every GPU gets a NIC of its own: beside it on PCIe, or straight on it where it has no PCIe.
void add_nics(Topology& node, const Network& network) {
  const auto ranks = gpus(node);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto nic = node.add(
        Device{.name = "nic" + std::to_string(i), .kind = DeviceKind::nic, .forwards = true});
    const auto pcie = std::find_if(node.links.begin(), node.links.end(), [&](const Link& link) {
      return link.from == ranks[i] && link.kind == LinkKind::pcie;
    });
    if (pcie != node.links.end()) {
      const Link way = *pcie;
      node.join(nic, way.to, LinkKind::pcie, way.bandwidth, way.latency);
    } else {
      node.join(nic, ranks[i], LinkKind::generic, network.bandwidth, Duration{});
    }
  }
  node.assumed.push_back(node.name + " has no NIC: every GPU was given one (" +
                         std::string(network.name) + ") where its PCIe link goes");
}

class Builder {
 public:
  Builder(const System& system, const ClusterRequest& request)
      : node_(system.topology),
        shared_by_(system.shared.empty() ? 1 : system.shared_by),
        shared_(system.shared),
        request_(request) {}

  /// `network` is null where the nodes have all they need in what they share.
  Result<Topology> build(const Network* network) {
    if (network != nullptr && nics(node_).empty()) add_nics(node_, *network);
    const auto links = static_cast<unsigned __int128>(request_.nodes) *
                       (node_.links.size() + 2 * nics(node_).size());
    if (links > most_links || request_.nodes * node_.devices.size() > most_devices)
      return bad_request(counted(request_.nodes, "node") + " of " + node_.name +
                         " are more than the simulator holds: 2^22 devices and 2^24 links");
    cluster_.name = node_.name + " x " + std::to_string(request_.nodes);
    cluster_.nodes = static_cast<std::uint32_t>(request_.nodes);
    cluster_.peer_to_peer = node_.peer_to_peer;
    cluster_.assumed = node_.assumed;
    for (std::uint32_t n = 0; n < cluster_.nodes; ++n) copy_node(n);
    if (network != nullptr) RS_TRY(join_nodes(*network));
    return std::move(cluster_);
  }

 private:
  bool is_shared(DeviceId id) const {
    return std::find(shared_.begin(), shared_.end(), id) != shared_.end();
  }

  std::string name_in(std::uint32_t n, DeviceId id) const {
    const auto& name = node_[id].name;
    if (!is_shared(id)) return "node" + std::to_string(n) + "." + name;
    return cluster_.nodes <= shared_by_ ? name
                                        : "domain" + std::to_string(n / shared_by_) + "." + name;
  }

  void copy_node(std::uint32_t n) {
    std::vector<DeviceId> copy(node_.devices.size());
    for (std::uint32_t i = 0; i < node_.devices.size(); ++i) {
      if (is_shared({i}) && n % shared_by_ != 0) {
        copy[i] = copies_[n - n % shared_by_][i];
        continue;
      }
      Device device = node_.devices[i];
      device.name = name_in(n, {i});
      device.node = n;
      copy[i] = cluster_.add(std::move(device));
    }
    for (const auto& link : node_.links) {
      if (is_shared(link.from) && is_shared(link.to) && n % shared_by_ != 0) continue;
      cluster_.add(Link{copy[link.from.value], copy[link.to.value], link.kind, link.bandwidth,
                        link.latency});
    }
    for (const auto rank : node_.ranks) cluster_.ranks.push_back(copy[rank.value]);
    copies_.push_back(std::move(copy));
  }

  DeviceId add_switch(std::string name) {
    return cluster_.add(
        Device{.name = std::move(name), .kind = DeviceKind::network_switch, .forwards = true});
  }

  Result<void> join_nodes(const Network& network) {
    const auto uplink = static_cast<unsigned __int128>(network.bandwidth.bytes_per_second) *
                        request_.nodes / request_.oversubscription;
    if (uplink == 0) return bad_request("that oversubscription leaves the spine no bandwidth");
    const Duration half_hop{network.switch_hop.picoseconds / 2};
    const auto rails = nics(node_);
    std::vector<DeviceId> leaves;
    for (std::size_t rail = 0; rail < rails.size(); ++rail) {
      leaves.push_back(add_switch("leaf" + std::to_string(rail)));
      for (const auto& copy : copies_)
        cluster_.join(copy[rails[rail].value], leaves.back(), network.kind, network.bandwidth,
                      network.adapter + half_hop);
    }
    if (rails.size() > 1) {
      const auto spine = add_switch("spine0");
      for (const auto leaf : leaves)
        cluster_.join(leaf, spine, network.kind, Bandwidth{static_cast<std::uint64_t>(uplink)},
                      half_hop + half_hop);
    }
    say(network, rails.size());
    return {};
  }

  void say(const Network& network, std::size_t rails) {
    const auto blocking = request_.oversubscription == 1
                              ? std::string("non-blocking")
                              : std::to_string(request_.oversubscription) + ":1 oversubscribed";
    cluster_.assumed.push_back(
        counted(request_.nodes, "node") + " joined by " + std::string(network.name) +
        (rails == 1
             ? ": the NIC of every node on one switch"
             : ": NIC i of every node on leaf switch i, the leaves on one spine, " + blocking));
    if (!cluster_.peer_to_peer || network.kind == LinkKind::ethernet)
      cluster_.assumed.push_back(
          "NICs read and write GPU memory themselves: a copy through host memory between GPU and "
          "NIC is not modelled");
  }

  Topology node_;
  std::uint32_t shared_by_;
  std::vector<DeviceId> shared_;
  const ClusterRequest& request_;
  Topology cluster_;
  std::vector<std::vector<DeviceId>> copies_;  // by node, then device of the node
};

/// What joins the nodes; null if what they share does.
Result<const Network*> choose_network(const System& system, const ClusterRequest& request) {
  const auto& node = system.topology;
  if (!request.net.empty()) return find_network(request.net);
  if (!system.shared.empty() && request.nodes <= system.shared_by) return nullptr;
  if (nics(node).empty())
    return bad_request(node.name + " has no NIC to join " + counted(request.nodes, "node") +
                       " by: --net NAME gives every GPU one, NAME being one of" + network_names());
  if (system.network.empty())
    return bad_request("what the NICs of " + node.name +
                       " speak is not known: say it with --net NAME, NAME being one of" +
                       network_names());
  return find_network(system.network);
}

Result<void> check(const System& system, const ClusterRequest& request) {
  const auto& node = system.topology;
  if (request.nodes == 0) return bad_request("a cluster has at least one node: --nodes 1");
  if (request.nodes > most_nodes)
    return bad_request(std::to_string(request.nodes) + " nodes are too many: at most " +
                       std::to_string(most_nodes));
  if (request.nodes > 1 && node.nodes > 1)
    return bad_request(node.name + " is " + counted(node.nodes, "node") +
                       " already: only one node can be copied by --nodes");
  if (request.oversubscription == 0)
    return bad_request("oversubscription is a ratio of 1 (non-blocking) or more, not 0");
  const auto all = request.nodes * node.ranks.size();
  if (request.ranks > all)
    return bad_request("--ranks " + std::to_string(request.ranks) + " is more than the " +
                       counted(all, "GPU") + " of " + std::to_string(request.nodes) +
                       (request.nodes == 1 ? " node of " : " nodes of ") + node.name);
  return {};
}

}  // namespace

Result<Topology> make_cluster(const System& system, const ClusterRequest& request) {
  RS_TRY(check(system, request));
  if (!request.net.empty()) RS_TRY(find_network(request.net));
  Topology cluster = system.topology;
  if (request.nodes > 1) {
    RS_ASSIGN(const auto* network, choose_network(system, request));
    RS_ASSIGN(cluster, Builder(system, request).build(network));
  }
  if (request.ranks != 0) cluster.ranks.resize(request.ranks);
  return cluster;
}

}  // namespace ringside::sim
