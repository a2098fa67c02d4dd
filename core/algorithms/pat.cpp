#include "core/algorithms/pat.hpp"

#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {

Pat pat(std::uint32_t n) {
  Pat result{.rounds = {}, .offsets = {0}};
  auto& offsets = result.offsets;
  for (auto k = doublings(n); k-- > 0;) {
    const auto distance = 1u << k;
    // Offsets are multiples of 2 * distance, the largest last: no other can go past the end.
    const auto last = offsets.back();
    const bool moves_last = last + distance >= n;
    if (moves_last) offsets.pop_back();
    const auto count = static_cast<std::uint32_t>(offsets.size());
    for (std::uint32_t i = 0; i < count; ++i) offsets.push_back(offsets[i] + distance);
    if (moves_last) offsets.push_back(last);
    result.rounds.push_back({distance, count, moves_last});
  }
  return result;
}

}  // namespace ringside::algorithms
