#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/sparse.hpp"
#include "sim/topology.hpp"

// What routes are searched on. Internal to sim::Router.

namespace ringside::sim {

/// What a way costs, compared in this order: software picks a path by what it is made of before it
/// looks at latency. So no traffic inside a node goes out to the network, a wire between GPUs goes
/// before PCIe, and the NIC beside a GPU before another one behind a CPU.
struct WayCost {
  std::uint32_t adapters = 0;    ///< links between a NIC and the network
  std::uint32_t host_links = 0;  ///< pcie, c2c, socket, memory
  Duration latency;
  friend auto operator<=>(const WayCost&, const WayCost&) = default;
};
inline constexpr WayCost no_way{UINT32_MAX, UINT32_MAX, forever};

/// Of two ways in a row; longer than the clock is no way.
constexpr WayCost operator+(WayCost a, WayCost b) {
  const auto latency = in_a_row(a.latency, b.latency);
  if (latency == forever) return no_way;
  return {a.adapters + b.adapters, a.host_links + b.host_links, latency};
}

/// The links at each device. Many that enter it alike, as the NICs of thousands of nodes enter
/// their leaf switch, are a crowd: most of them lead to nowhere that anybody asked for, so that
/// entering() leaves them out, and a search looks at each from its other end.
class Junctions {
 public:
  explicit Junctions(const Topology& topology);

  const Topology& topology() const { return topology_; }
  WayCost cost(LinkId id) const;
  /// By where they lead, then by id.
  std::span<const LinkId> leaving(DeviceId device) const;
  /// Those of them that lead to `to`.
  std::span<const LinkId> between(DeviceId from, DeviceId to) const;
  /// From devices that pass traffic on, without crowds.
  std::span<const LinkId> entering(DeviceId device) const;
  bool is_of_a_crowd(LinkId id) const { return crowded_[id.value]; }
  /// What the cheapest link of the crowd costs that enters there; no_way if there is none.
  WayCost crowd_at(DeviceId device) const { return crowds_[device.value]; }

 private:
  void set_crowds_apart(DeviceId device);

  const Topology& topology_;
  std::vector<LinkId> leaving_, entering_;               // by device
  std::vector<std::uint32_t> leaving_at_, entering_at_;  // devices + 1
  std::vector<std::uint32_t> entering_end_;              // by device: where its crowd begins
  std::vector<bool> crowded_;                            // by link
  Sparse<WayCost> crowds_{no_way};
};

}  // namespace ringside::sim
