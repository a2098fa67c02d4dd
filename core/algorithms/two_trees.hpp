#pragma once

#include <array>

#include "core/algorithms/cost.hpp"
#include "core/algorithms/tree_walk.hpp"

namespace ringside::algorithms {

/// Two binary trees over all ranks but the root, which is the parent of both: the first half of the
/// chunks travels over one, the rest over the other. At least two ranks.
std::array<TreeLoad, 2> two_trees(const CollectiveSpec& spec, const Options& options);

/// With k chunks of S/k, k/2 a tree: (1 + ceil(lg (N-1))) (alpha + S/(k B)) + (k/2 - 1) S/(k B);
/// on two ranks both trees are one wire.
Duration two_trees_time(const CollectiveSpec& spec, const Options& options, Bytes size,
                        const LinkCost& link);

}  // namespace ringside::algorithms
