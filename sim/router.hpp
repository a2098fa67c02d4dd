#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/route_tree.hpp"

namespace ringside::sim {

/// Finds the links a transfer crosses: first by what they are, as software does whatever the
/// latency (fewest passages between a NIC and the network, then fewest links of the host: pcie,
/// c2c, socket, memory), then shortest by total latency, then by bottleneck bandwidth, then by
/// number of links. Routes that tie on all of these are spread by a digit a branching (E. Zahavi,
/// "Fat-tree routing and node ordering providing contention free traffic for MPI global
/// collectives", JPDC 72 (2012)): where a route leaves its source by (source + destination +
/// channel) modulo the number of ways, at later branchings by the digits of (destination +
/// channel). Only devices with `forwards` are passed through. Without Topology::peer_to_peer a
/// route between two GPUs of one node that would cross PCIe is staged: down into the memory device
/// nearest to the source, and up again.
///
/// Routes are computed when first asked for and remembered (not thread-safe). The topology must
/// outlive the router and stay as it is.
class Router {
 public:
  explicit Router(const Topology& topology);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// Links from the device of rank `from` to the device of rank `to`, in order; valid as long as
  /// the router. Empty where both sit on one device. Error if there is no such rank, or no way.
  Result<std::span<const LinkId>> route(Rank from, Rank to, ChannelId channel);
  /// Where a route goes on by one of several links that are as good.
  struct Branching {
    DeviceId at;
    std::uint32_t ways;
  };
  /// Those of the route between two ranks; none where it is the only one that good, and so hangs on
  /// how things are joined alone. Valid until the next call. Error: a staged route.
  Result<std::span<const Branching>> branchings(Rank from, Rank to, ChannelId channel);

 private:
  /// What spreads routes that tie.
  struct Spread {
    std::uint32_t at_source, later;
  };
  static Spread spread_of(Rank from, Rank to, ChannelId channel) {
    return {from.value + to.value + channel.value, to.value + channel.value};
  }
  /// The best way between two devices, and the tree that says where it goes.
  struct Search {
    RouteTree& tree;
    RouteTree::Reach best;
  };
  using Path = std::vector<LinkId>;

  Search search(DeviceId from, DeviceId to);
  Result<Path> path(DeviceId from, DeviceId to, Spread spread);
  Result<Path> staged(DeviceId from, DeviceId to, Spread spread);
  bool needs_staging(DeviceId from, DeviceId to, std::span<const LinkId> direct) const;
  std::span<const LinkId> keep(const Path& path);

  const Topology& topology_;
  Junctions junctions_;
  std::unordered_map<std::uint32_t, std::vector<DeviceId>> memories_;  // by node, ids ascending
  std::unordered_map<std::uint32_t, RouteTree> trees_;                 // by destination
  std::unordered_map<std::uint32_t, Surroundings> surroundings_;       // by source
  std::size_t remembered_ = 0;  // devices that the searches have reached
  std::unordered_map<std::uint64_t, std::span<const LinkId>> routes_;
  std::vector<std::unique_ptr<LinkId[]>> pages_;  // where routes lie; never moved
  std::size_t page_used_ = 0, page_size_ = 0;
  std::vector<Branching> branchings_;  // of the last path()
};

}  // namespace ringside::sim
