#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.hpp"

namespace ringside::calibrate {

struct Pair {
  Rank from, to;
  friend auto operator<=>(const Pair&, const Pair&) = default;
  Pair back() const { return {to, from}; }
};

/// From the rank before this one, and to the one behind it, in a circle of all.
inline Pair way_in(Rank rank, std::uint32_t ranks) {
  return {{(rank.value + ranks - 1) % ranks}, rank};
}
inline Pair way_out(Rank rank, std::uint32_t ranks) {
  return {rank, {(rank.value + 1) % ranks}};
}

/// Everybody meets everybody once, in rounds of disjoint pairs: the round-robin tournament by the
/// circle method (T. P. Kirkman, 1847). N - 1 rounds of N / 2 pairs; with an odd N, N rounds in
/// which one rank rests.
std::vector<std::vector<Pair>> rounds(std::uint32_t ranks);

}  // namespace ringside::calibrate
