#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"
#include "sim/protocol.hpp"
#include "sim/topology.hpp"

namespace ringside::sim {

/// Between GPUs that have no NVLink: what their PCIe traffic meets in.
enum class HostPath : std::uint8_t { one_switch, one_socket, sockets };

/// A machine, or several alike, as NCCL's tuning sees it: no wires, only what they add up to.
struct Platform {
  std::string generation;      ///< of the GPUs, a name of generation_names(): `hopper`, `cdna3`
  std::uint32_t nodes = 1;     ///< machines
  std::uint32_t per_node = 1;  ///< GPUs that take part, in each
  /// Nodes whose GPUs one NVLink domain joins (18 of an NVL72); they count as one node below.
  std::uint32_t nodes_per_domain = 1;
  Wire wire = Wire::nvlink;  ///< between GPUs of one domain
  /// What a GPU can send, all its links together, one direction, attainable: 371 GB/s (H100).
  /// Of `pcie` and `host`: its slot's.
  Bandwidth gpu_bandwidth{};
  bool in_switch = false;  ///< NVSwitches that reduce (NVLS)
  HostPath path = HostPath::one_socket;
  std::string network{};      ///< a name of network_kinds(): `ib`, `efa`; empty = one domain
  std::uint32_t nics = 0;     ///< of each node
  Bandwidth nic_bandwidth{};  ///< of one NIC, one direction, on the wire: 50 GB/s (NDR)
  bool in_network = false;    ///< switches that reduce (SHARP)
  bool gpu_direct = true;     ///< NICs read the GPUs' memory; else the host's, in between
  bool one_process = false;   ///< drives all GPUs of a node, instead of one process a GPU
  /// Said to the user: what was taken for granted.
  std::vector<std::string> assumed{};

  std::uint32_t ranks() const { return nodes * per_node; }
  std::uint32_t domain_size() const;  ///< GPUs of one domain that take part
  std::uint32_t domains() const;
};

/// The most nodes a domain of at most `most` (> 0) that leave no domain with fewer.
std::uint32_t evenly(std::uint32_t nodes, std::uint32_t most);

/// One sentence where the platform makes no sense: no GPUs, several nodes without a network, a
/// domain that divides no nodes, a wire without bandwidth, ...
Result<void> check(const Platform& platform);

/// The GPU generations and networks with figures, by name.
std::vector<std::string_view> generation_names();
std::vector<std::string_view> network_kinds();

/// Of a topology as the simulator has it: nodes, GPUs, their links and NICs. `network`: a name of
/// networks() (sim/networks.hpp), empty where nothing joins the nodes. What it cannot tell is
/// assumed and said. Errors: no GPUs that take part, nodes of different sizes.
Result<Platform> platform_of(const Topology& topology, std::string_view network);

/// A machine in words, as logs have it.
struct Description {
  std::string hardware{};  ///< the device: `NVIDIA H100 80GB HBM3`
  std::uint32_t nodes = 1, per_node = 1;
  std::string interconnect{};  ///< `NVSwitch3 NV18 + 8x NDR 400 Gb/s InfiniBand`; may be empty
  std::string version{};       ///< of NCCL; may be empty
  std::string notes{};         ///< anything else that was said
};
/// Of a machine in words. Error: a device that no generation knows (all that are known, named).
Result<Platform> platform_of(const Description& description);

}  // namespace ringside::sim
