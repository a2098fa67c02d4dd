#pragma once

#include <span>
#include <string_view>

#include "core/result.hpp"
#include "sim/topology.hpp"

namespace ringside::sim {

/// What joins nodes: one NIC's rate, and what a message pays on its way.
struct Network {
  std::string_view name;  ///< of `--net`
  std::string_view summary;
  LinkKind kind = LinkKind::ib;
  Bandwidth line;       ///< of one NIC, one direction, as its name says
  Bandwidth bandwidth;  ///< what of that is attainable
  Duration adapter;     ///< latency of a NIC, paid once at each end
  Duration switch_hop;  ///< latency of each switch passed
};

/// All of them, slow to fast within a kind; sources beside the figures in networks.cpp.
std::span<const Network> networks();
Result<const Network*> find_network(std::string_view name);

}  // namespace ringside::sim
