#pragma once

#include <cstdint>
#include <vector>

namespace ringside::algorithms {

/// PAT's all-gather as rank r sees it (all ranks see the same): r keeps a list of blocks, each as
/// an offset from r, at first its own. In a round of distance d it sends the first `count` of its
/// list to rank r - d, which appends them, d farther away, after its own first `count`. Distances
/// halve: far messages are short, long ones stay near.
struct PatRound {
  std::uint32_t distance, count;
  /// The list's last block would go past offset N-1, and is not sent. It moves from place `count`
  /// to place 2 * count, behind what is appended.
  bool moves_last;
};

struct Pat {
  std::vector<PatRound> rounds;
  std::vector<std::uint32_t> offsets;  ///< of the whole list in the end
};

/// ceil(lg n) rounds for any n >= 1. Jeaugey, "PAT: a new algorithm for all-gather and
/// reduce-scatter operations at scale", arXiv 2506.20252 (2025).
Pat pat(std::uint32_t n);

}  // namespace ringside::algorithms
