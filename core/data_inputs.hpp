#pragma once

#include <cstdint>

#include "core/data.hpp"

namespace ringside::data {

/// Who asks: the rank's place in the element's own rotation of the ranks (0 is first), how many
/// ranks there are, and a hash of seed, element and rank.
struct Place {
  std::uint32_t position = 0, ranks = 1;
  std::uint64_t element_hash = 0;  ///< the same for every rank
  std::uint64_t hash = 0;
};

/// Ranks that can contribute to one element so that every partial result is exact and a missing or
/// doubled contribution shows: all of them, or as many as the type has room for.
std::uint32_t capacity(const Problem& problem);

// An input element, as bits, for each kind of data. None is asked for what does not reduce.
std::uint64_t exact_element(const Problem& problem, const Place& place);
std::uint64_t real_element(const Problem& problem, const Place& place);
std::uint64_t special_element(const Problem& problem, const Place& place, std::uint64_t index);
/// Any bits; different on every rank as long as the type has enough patterns.
std::uint64_t copied_element(const Problem& problem, std::uint64_t element_hash, Rank rank);

}  // namespace ringside::data
