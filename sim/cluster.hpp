#pragma once

#include <cstdint>
#include <string>

#include "sim/systems.hpp"

namespace ringside::sim {

struct ClusterRequest {
  std::uint64_t nodes = 1;
  std::string net = {};     ///< a name of networks(); empty = the system's own
  std::uint64_t ranks = 0;  ///< the first n GPUs take part; 0 = all
  /// What a leaf's NICs can send at once over what its uplink carries; 1 = non-blocking.
  std::uint32_t oversubscription = 1;
};

/// Copies one node and joins the copies by their NICs through a rail-optimised fat tree: NIC i of
/// every node hangs on leaf switch `leaf<i>`, the leaves on one spine `spine0`. A link pays the
/// adapter's latency at a NIC and half a switch's at each switch end, so a message pays two
/// adapters and every switch it passes. Leaf and spine stand for as many real chips as it takes.
/// Devices are named `node1.gpu3`; ranks go node by node. Devices that nodes share (an NVL72's
/// NVSwitches) exist once for every `shared_by` nodes; nodes that share them all are joined by
/// their NICs only if `net` asks for it.
///
/// One node stays as it is. A node without NICs is refused unless `net` is given: then every GPU
/// gets one, where its PCIe link goes, and `assumed` says so. Other errors: unknown net, more ranks
/// than GPUs, more links than the simulator holds.
Result<Topology> make_cluster(const System& system, const ClusterRequest& request);

}  // namespace ringside::sim
