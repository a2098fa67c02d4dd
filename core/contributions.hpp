#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/ids.hpp"

namespace ringside {

/// One rank's part in a value.
struct Contribution {
  Rank rank;
  ChunkId chunk;
  bool repeated = false;  ///< in it more than once
  friend constexpr auto operator<=>(const Contribution&, const Contribution&) = default;
};

/// The symbolic value of a slot: a multiset of (rank, chunk). Empty = never written. Small while
/// the schedule is right: one chunk of a cyclic run of ranks (a ring's partial sums) costs nothing
/// more, one chunk of any ranks a bit set; only wrong values mix chunks. Copies share.
class Contributions {
 public:
  /// Mixed chunks are wrong at every output, so only this many of their parts are remembered.
  static constexpr std::size_t max_mixed = 64;

  Contributions() = default;
  static Contributions one(Rank rank, ChunkId chunk) { return {chunk.value, rank.value, 1}; }
  /// The sum of both, among `ranks` ranks; nothing is neutral.
  static Contributions sum(const Contributions& a, const Contributions& b, std::uint32_t ranks);

  bool empty() const { return count_ == 0 && !large_; }
  /// Exactly one chunk of the ranks [first, first + count), each once. Ranks do not wrap.
  bool is_exactly(ChunkId chunk, Rank first, std::uint32_t count) const;
  /// Sorted by (rank, chunk) within a chunk; mixed chunks may be cut short: see is_cut_short().
  std::vector<Contribution> list(std::uint32_t ranks) const;
  bool is_cut_short() const { return large_ && large_->cut_short; }

 private:
  struct Large {
    std::vector<std::uint64_t> present, repeated;  // one chunk, a bit a rank
    std::vector<Contribution> mixed;               // several chunks, sorted; else empty
    bool cut_short = false;
  };
  Contributions(std::uint32_t chunk, std::uint32_t first, std::uint32_t count)
      : chunk_(chunk), first_(first), count_(count) {}
  bool is_mixed() const { return large_ && !large_->mixed.empty(); }
  static Contributions same_chunk(const Contributions& a, const Contributions& b,
                                  std::uint32_t ranks);
  static Contributions mix(const Contributions& a, const Contributions& b, std::uint32_t ranks);
  void add_to(Large& set, std::uint32_t ranks) const;

  std::uint32_t chunk_ = 0, first_ = 0, count_ = 0;  // a cyclic run where !large_
  std::shared_ptr<const Large> large_;
};

}  // namespace ringside
