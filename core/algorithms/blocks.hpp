#pragma once

#include <cstdint>
#include <string>

#include "core/algorithms/options.hpp"
#include "core/algorithms/wrapped.hpp"

namespace ringside::algorithms {

/// The vector as N equal blocks, one a rank, each of chunks / N chunks that travel together. Names
/// a block's first slot; block numbers count modulo N, places in scratch do not.
class Blocks {
 public:
  Blocks(const CollectiveSpec& spec, const Options& options)
      : ranks_(spec.ranks), width_(options.chunks / spec.ranks) {}

  /// Chunks in `blocks` blocks.
  std::uint32_t chunks(std::uint32_t blocks = 1) const { return blocks * width_; }
  Slot input(std::uint32_t rank, std::int64_t block) const {
    return ringside::input(rank, first(block));
  }
  Slot output(std::uint32_t rank, std::int64_t block) const {
    return ringside::output(rank, first(block));
  }
  Slot scratch(std::uint32_t rank, std::uint32_t place) const {
    return ringside::scratch(rank, place * width_);
  }

 private:
  std::uint32_t first(std::int64_t block) const { return wrapped(block, ranks_) * width_; }

  std::int64_t ranks_;
  std::uint32_t width_;
};

/// What most blocked algorithms want: one chunk a block unless told otherwise.
inline Options complete_blocks(const CollectiveSpec& spec, const Options& given) {
  return chunks_only(given, spec.ranks);
}
inline Result<void> supports_blocks(const CollectiveSpec& spec, const Options& options) {
  return needs_multiple(options, spec.ranks, std::string(name(spec.kind)));
}

/// A story in which everyone does the same, one to the right with the next block, and all have
/// told their first of a step before any tells its second.
inline Orbit block_orbit(const CollectiveSpec& spec, const Options& options) {
  const auto n = spec.ranks;
  return {.ranks = 1, .groups = n, .blocks = n, .width = options.chunks / n, .in_rounds = true};
}

/// Runs n blocks that start at block `first` of the natural order, in at most two pieces, since the
/// numbering ends at N: calls piece(place in the run, block, length in blocks).
template <typename Piece>
void for_each_piece(std::uint32_t ranks, std::uint32_t first, std::uint32_t n, Piece piece) {
  const auto before_end = n < ranks - first ? n : ranks - first;
  piece(0, first, before_end);
  if (n > before_end) piece(before_end, 0, n - before_end);
}

}  // namespace ringside::algorithms
