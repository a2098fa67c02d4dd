#pragma once

#include <vector>

#include "core/engine.hpp"

namespace ringside {

/// Roots that matter: 0, 1, the middle, the last; just rank 0 where the collective has no root.
std::vector<Rank> roots_that_matter(CollectiveKind kind, std::uint32_t ranks);

/// The specs of one collective on `ranks` ranks worth proving: every root that matters, in place
/// and not.
std::vector<CollectiveSpec> specs_that_matter(CollectiveKind kind, std::uint32_t ranks);

/// The plans of one algorithm for one spec worth proving: its defaults, other chunk counts where it
/// is tuned by them or takes several chunks a rank, several channels, every way to cut the ranks
/// into nodes, a reversed rank order. What the algorithm does not support is left out; empty if it
/// serves no such spec.
std::vector<Plan> plans_that_matter(const Algorithm& algorithm, const CollectiveSpec& spec);

}  // namespace ringside
