#pragma once

#include <algorithm>
#include <bit>

#include "core/algorithms/cost.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {

/// Time for a binomial tree over n positions to collect at its root (or to spread from it) one
/// block a position, each message as long as the subtree it serves, every pair with a wire of its
/// own. The last child of the root may serve fewer positions than the others' doubling: either its
/// path or that of the full tree without it is the slowest.
inline Duration binomial_blocks_time(std::uint32_t n, Bytes block, const LinkCost& link) {
  if (n == 1) return {};
  const auto full = std::bit_floor(n - 1), rest = n - full;
  const auto last = binomial_blocks_time(rest, block, link) + message(rest * block, link);
  return rest == full ? last : std::max(last, binomial_blocks_time(full, block, link));
}

}  // namespace ringside::algorithms
