#pragma once

#include <bit>
#include <cstdint>

#include "core/algorithm.hpp"

namespace ringside::algorithms {

/// Algorithms on a hypercube want a power of two. Of N ranks the first 2 * extra() pair up: the odd
/// one hands its vector to the even one and waits for the result. The q = 2^floor(lg N) survivors
/// are numbered 0..q-1.
class Fold {
 public:
  explicit Fold(std::uint32_t ranks) : ranks_(ranks), survivors_(std::bit_floor(ranks)) {}

  std::uint32_t survivors() const { return survivors_; }  ///< q
  std::uint32_t extra() const { return ranks_ - survivors_; }
  std::uint32_t dimensions() const {
    return static_cast<std::uint32_t>(std::bit_width(survivors_)) - 1;
  }
  /// Rank of survivor v.
  std::uint32_t rank(std::uint32_t v) const { return is_folded(v) ? 2 * v : v + extra(); }
  /// Whether survivor v speaks for two: itself and rank(v) + 1.
  bool is_folded(std::uint32_t v) const { return v < extra(); }

 private:
  std::uint32_t ranks_, survivors_;
};

/// Blocks [first, first + count), one a rank, that the `group` survivors around v own together
/// (`group` a power of two, aligned): a survivor owns its rank's block and that of the rank it
/// speaks for.
struct OwnedBlocks {
  std::uint32_t first, count;
};
inline OwnedBlocks owned_blocks(const Fold& fold, std::uint32_t v, std::uint32_t group) {
  const auto begin = v / group * group, last = begin + group - 1;
  const auto first = fold.rank(begin);
  return {first, fold.rank(last) + (fold.is_folded(last) ? 2 : 1) - first};
}

/// A story in which partners differ in one bit and use the vector alike, or each its own block.
/// Where some ranks speak for two it does not repeat itself.
inline Orbit butterfly_orbit(const CollectiveSpec& spec, std::uint32_t blocks,
                             std::uint32_t chunks) {
  if (!std::has_single_bit(spec.ranks)) return {};
  return {.ranks = 1,
          .groups = spec.ranks,
          .blocks = blocks,
          .width = chunks / blocks,
          .motion = Orbit::Motion::exclusive_or};
}

}  // namespace ringside::algorithms
