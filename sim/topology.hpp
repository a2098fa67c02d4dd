#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/algorithm.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside::sim {

enum class DeviceKind : std::uint8_t {
  gpu,
  cpu,
  memory,
  pcie_switch,
  nvswitch,
  nic,
  network_switch
};
/// What a wire is. Bandwidth and latency can be overridden a kind: `--set nvlink.bandwidth=...`.
enum class LinkKind : std::uint8_t {
  nvlink,
  xgmi,
  c2c,
  pcie,
  socket,
  memory,
  ib,
  roce,
  ethernet,
  generic,
};

inline constexpr std::size_t link_kind_count = 10;

std::string_view name(DeviceKind kind);  ///< `gpu` `cpu` `memory` `pcie_switch` ...
std::string_view name(LinkKind kind);    ///< `nvlink` `xgmi` `c2c` `pcie` `socket` `memory` `ib`
                                         ///< `roce` `ethernet` `link`
/// Of that name, or an error that suggests the nearest one.
Result<DeviceKind> parse_device_kind(std::string_view text);
Result<LinkKind> parse_link_kind(std::string_view text);

/// A thing that ranks sit on or that links meet in.
struct Device {
  std::string
      name;  ///< unique: `gpu3`, `nvsw0`, `pcie1`, `cpu0`, `nic2`; in a cluster `node1.gpu3`
  DeviceKind kind = DeviceKind::gpu;
  std::uint32_t node = 0;  ///< machine it belongs to
  /// Passes on what is not for it. GPUs of real machines do not; GPUs of bare rings, meshes, tori
  /// do.
  bool forwards = false;
  bool nvls = false, sharp = false;  ///< a switch: how it can reduce (core's InSwitch)
  Bandwidth memory{};  ///< local copies and reductions run at this rate; 0 = they cost nothing
};

/// One *directed* wire. Busy for the bytes, not for the latency.
struct Link {
  DeviceId from, to;
  LinkKind kind = LinkKind::generic;
  Bandwidth bandwidth;  ///< > 0
  Duration latency;     ///< >= 0
};

/// Devices and directed links, and which device each rank sits on. A value; validated by check().
struct Topology {
  std::string name;
  std::vector<Device> devices;
  std::vector<Link> links;
  /// Rank r sits on devices[ranks[r].value]; agents (ranks in switches) follow after the GPUs'
  /// ranks.
  std::vector<DeviceId> ranks;
  std::uint32_t nodes = 1;
  /// False where GPUs cannot reach each other's memory: a route between two GPUs that leaves them
  /// over PCIe goes down into the host's memory device and up again.
  bool peer_to_peer = true;
  /// Said to the user: every figure or wire that was not in the input but taken for granted.
  std::vector<std::string> assumed;
  /// Links that a fault took away, as the user named them: only for messages.
  std::vector<std::string> dead{};

  DeviceId add(Device device);
  LinkId add(Link link);
  /// Both directions, equal figures.
  void join(DeviceId a, DeviceId b, LinkKind kind, Bandwidth bandwidth, Duration latency);
  const Device& operator[](DeviceId id) const { return devices[id.value]; }
  const Link& operator[](LinkId id) const { return links[id.value]; }
  std::string link_name(LinkId id) const;       ///< `gpu3->nvsw0`; parallel links get `#1`, `#2`
  std::vector<std::string> link_names() const;  ///< of all, by id: in one go, not one by one
};

/// The latency of two ways in a row; `forever` where it is longer than the clock.
constexpr Duration in_a_row(Duration a, Duration b) {
  return a > forever - b ? forever : a + b;
}

/// Names unique, ids in range, bandwidths positive, sizes sane (<= 2^20 ranks, <= 2^24 links).
Result<void> check(const Topology& topology);
/// By name, with a suggestion when there is none.
Result<DeviceId> find_device(const Topology& topology, std::string_view name);
/// `gpu3->nvsw0`: all parallel links of that name. `gpu3->nvsw0#1`: one.
Result<std::vector<LinkId>> find_links(const Topology& topology, std::string_view name);

/// `with gpu0->sw0 dead `: how a refusal begins where what the user did may be why; empty if no
/// link is dead.
std::string with_dead(const Topology& topology);

/// Seats `agents` extra ranks, after the GPUs', in turn on the switches that are linked both ways
/// to every rank and reduce in the way asked for. Error if there is no such switch: what is
/// missing, and which wire where a switch lacks some.
Result<void> place_agents(Topology& topology, std::uint32_t agents, InSwitch way);

}  // namespace ringside::sim
