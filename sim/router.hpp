#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/topology.hpp"

namespace ringside::sim {

/// Finds the links a transfer crosses: shortest by total latency, then by bottleneck bandwidth,
/// then by number of links; routes that tie on all three are spread over (source rank, destination
/// rank, channel) deterministically. Only devices with `forwards` are passed through. Routes are
/// computed when first asked for and remembered; one router serves one run (not thread-safe). The
/// topology must outlive it.
class Router {
 public:
  explicit Router(const Topology& topology);

  /// Links from the device of rank `from` to the device of rank `to`, in order. Empty where both
  /// sit on one device. Error naming both devices if there is no way.
  Result<std::span<const LinkId>> route(Rank from, Rank to, ChannelId channel);

 private:
  struct Tree;  // shortest-path tree towards one destination device
  const Topology& topology_;
  std::vector<std::vector<LinkId>> out_;  // links leaving each device
  std::unordered_map<std::uint64_t, std::vector<LinkId>> routes_;
};

}  // namespace ringside::sim
