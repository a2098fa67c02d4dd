#pragma once

#include <vector>

#include "core/algorithms/cost.hpp"
#include "core/algorithms/ring.hpp"

namespace ringside::algorithms {

/// Ranks in ring order, `first` first.
inline std::vector<std::uint32_t> ring_from(const Ring& ring, std::uint32_t first) {
  std::int64_t start = 0;
  while (ring.at(start) != first) ++start;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < ring.size(); ++i) order.push_back(ring.at(start + i));
  return order;
}

/// N ranks in a row, k chunks behind each other: (N-1) (alpha + chunk) + (k-1) chunk.
inline Duration chain_time(std::int64_t ranks, std::int64_t chunks, Bytes size,
                           const LinkCost& link) {
  if (ranks == 1) return {};
  const Duration chunk = wire_time(part(size, chunks), link.bandwidth);
  return (ranks - 1) * (link.latency + chunk) + (chunks - 1) * chunk;
}

}  // namespace ringside::algorithms
