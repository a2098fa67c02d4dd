#pragma once

#include <cstdint>
#include <span>

#include "core/algorithm.hpp"

namespace ringside::algorithms {

/// All-reduce over a grid of ranks, row-major (the last side varies fastest), one dimension at a
/// time: reduce-scatter along the last side, then along the one before on what is left, ...; then
/// all-gather the same way back. Every line of the grid is a ring. Needs N chunks.
void tell_grid_all_reduce(std::span<const std::uint32_t> sides, TransferSink& sink);

/// The first side that is longer than 1 takes turns: each of its coordinates is a group.
Orbit grid_orbit(std::span<const std::uint32_t> sides);

/// Its time where neighbours in every line are joined: over the sides d, last first,
/// sum of 2 (d-1) (alpha + S/(P B)), P = the product of the sides so far.
Duration predict_grid_all_reduce(std::span<const std::uint32_t> sides, Bytes size,
                                 const LinkCost& link);

}  // namespace ringside::algorithms
