#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "sim/router.hpp"

namespace ringside::sim {

/// How good rings are, all running at once. Better is greater.
struct RingScore {
  std::uint64_t bottleneck = UINT64_MAX;  ///< bytes per second
  std::uint64_t sharing = 0;              ///< sum over links of (edges on it)^2 / bandwidth
  std::int64_t latency = 0;               ///< sum over edges
  friend std::weak_ordering operator<=>(const RingScore& a, const RingScore& b) {
    if (a.bottleneck != b.bottleneck) return a.bottleneck <=> b.bottleneck;
    if (a.sharing != b.sharing) return b.sharing <=> a.sharing;
    return b.latency <=> a.latency;
  }
  friend bool operator==(const RingScore&, const RingScore&) = default;
};

/// Ring edges laid on a topology's links, one by one.
class RingLoad {
 public:
  /// Both must outlive the load.
  RingLoad(const Topology& topology, Router& router)
      : topology_(topology), router_(router), edges_on_(topology.links.size()) {}

  void use_channel(std::uint32_t channel) { channel_ = {channel}; }
  Result<void> add(Rank from, Rank to);
  /// All edges of a ring, the closing one too.
  Result<void> add(const std::vector<Rank>& ring);
  /// Takes off the last `edges` and with them their score.
  void take_off(std::size_t edges);
  const RingScore& score() const { return score_; }
  /// The score if this edge were added to what is there.
  Result<RingScore> with(Rank from, Rank to);

 private:
  struct Laid {
    std::span<const LinkId> route;
    RingScore before;
  };
  const Topology& topology_;
  Router& router_;
  ChannelId channel_{0};
  std::vector<std::uint32_t> edges_on_;
  RingScore score_;
  std::vector<Laid> laid_;
};

/// The best ring through `ranks` (any set) that is found on top of what `load` holds already.
Result<std::vector<Rank>> best_ring(RingLoad& load, const std::vector<Rank>& ranks);

}  // namespace ringside::sim
