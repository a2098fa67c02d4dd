#pragma once

#include <algorithm>
#include <cstdint>

#include "core/mix.hpp"

namespace ringside::data {

// Long vectors are made of one tile of `tile` elements, so that they are filled and compared as
// fast as memory is. Every `run` elements the tile is entered anew, at a place of its own, so that
// data that were shifted show by whatever distance.

inline constexpr std::uint64_t run = 8191;  // a prime: no chunk or slice is a multiple of it
inline constexpr std::uint64_t tile = 2 * run;

/// Where in the tile element `index` stands. A vector begins with the tile's beginning.
constexpr std::uint64_t position(std::uint64_t seed, std::uint64_t index) {
  const auto nth = index / run;
  return (nth == 0 ? 0 : mix(seed, nth) % run) + index % run;
}

/// Calls visit(index, position, elements) for each piece of [first, first + elements) that lies in
/// the tile as it does in the vector.
template <typename Visit>
void each_piece(std::uint64_t seed, std::uint64_t first, std::uint64_t elements, Visit visit) {
  for (const auto last = first + elements; first < last;) {
    const auto n = std::min(last - first, run - first % run);
    visit(first, position(seed, first), n);
    first += n;
  }
}

}  // namespace ringside::data
