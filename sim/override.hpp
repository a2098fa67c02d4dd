#pragma once

#include <cstdint>
#include <string_view>

#include "sim/topology.hpp"

namespace ringside::sim {

/// `--set KIND.FIELD=VALUE`: one figure of all links of one kind, as `topo` lists them (a bundle of
/// 18 NVLinks is one link there).
struct Override {
  enum class Field : std::uint8_t { bandwidth, latency };
  LinkKind kind = LinkKind::generic;
  Field field = Field::bandwidth;
  double scale = 0;       ///< > 0: multiply; 0: set to the value below
  Bandwidth bandwidth{};  ///< where field is bandwidth and scale is 0
  Duration latency{};     ///< where field is latency and scale is 0
};

/// `pcie.bandwidth=12GB/s`, `nvlink.latency=2us`, `nvlink.bandwidth=x0.5` (or `=0.5x`). Errors name
/// the part that is wrong and suggest the nearest right one.
Result<Override> parse_override(std::string_view text);

/// Error if the topology has no link of that kind (it names the kinds there are) or a scaled figure
/// leaves its range; then nothing is changed.
Result<void> apply(const Override& change, Topology& topology);

}  // namespace ringside::sim
