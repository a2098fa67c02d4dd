#pragma once

#include <bit>
#include <cstdint>

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

}  // namespace ringside::algorithms
