#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "sim/topology.hpp"

namespace ringside::sim {

/// One ring a channel, each a permutation of the ranks 0..N-1: as Options::rank_order.
using Rings = std::vector<std::vector<Rank>>;

/// What each ring carries when all run at once and every wire is shared evenly: the least, over the
/// links, of bandwidth / (ring edges that cross it). An edge of ring c takes the router's route of
/// channel c. Error if two neighbours cannot reach each other.
Result<Bandwidth> bottleneck(const Topology& topology, const Rings& rings);

/// Rings as NCCL would look for them: the best bottleneck, then the least sharing, then the least
/// latency; each next ring on what the ones before it left free. `channels` = 0: as many as carry
/// the most in all, at most 16. Never worse than the identity order.
///
/// Up to 16 ranks on one node the search is branch and bound, exact unless it runs out of its fixed
/// number of steps; up to 256 nearest neighbour and local exchanges (2-opt, Croes 1958; or-opt, Or
/// 1976); beyond that the identity. Over several nodes rings pass node by node, as they would on
/// the first one, and cross where entering and leaving by the same rail is cheapest. Deterministic.
Result<Rings> find_rings(const Topology& topology, std::uint32_t ranks, std::uint32_t channels);

/// `auto` (find_rings), `identity` (no rings: the algorithms' own order), or a list: `0,3,2,1`,
/// several rings apart by `;`. Error, one sentence, if a list is no permutation of `ranks` ranks.
Result<Rings> parse_rank_order(std::string_view text, const Topology& topology, std::uint32_t ranks,
                               std::uint32_t channels);

}  // namespace ringside::sim
