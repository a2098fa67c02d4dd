#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <vector>

#include "sim/models/model.hpp"

// The slow and obvious max-min fair shares that model flow is held to.

namespace ringside::sim::models {

using Route = std::vector<std::uint32_t>;  // wires

struct Share {
  Rate rate;
  std::uint32_t limit;  // the wire that sets it
  friend bool operator==(const Share&, const Share&) = default;
};
inline void PrintTo(const Share& share, std::ostream* out) {
  *out << share.rate << " by wire " << share.limit;
}

/// Progressive filling: the wire that can offer least to each of its flows without a rate, of
/// several the lowest, sets their rates; and so on until all have one.
inline std::map<int, Share> fill(const std::vector<Wire>& wires,
                                 const std::map<int, Route>& flows) {
  std::map<int, Share> shares;
  std::vector<Rate> left;
  for (const Wire& wire : wires) left.push_back(rate_of(wire.bandwidth));
  while (shares.size() < flows.size()) {
    std::vector<std::uint64_t> open(wires.size());
    for (const auto& [flow, route] : flows)
      if (!shares.contains(flow))
        for (const auto w : route) ++open[w];
    Share least{UINT64_MAX, 0};
    for (std::uint32_t w = 0; w < wires.size(); ++w)
      if (open[w] > 0 && std::max<Rate>(left[w] / open[w], 1) < least.rate)
        least = {std::max<Rate>(left[w] / open[w], 1), w};
    for (const auto& [flow, route] : flows) {
      if (shares.contains(flow) || std::ranges::count(route, least.limit) == 0) continue;
      shares[flow] = least;
      for (const auto w : route) left[w] -= std::min(left[w], least.rate);
    }
  }
  return shares;
}

}  // namespace ringside::sim::models
