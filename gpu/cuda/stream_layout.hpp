#pragma once

#include <vector>

#include "core/binding.hpp"
#include "gpu/cuda/stream_plan.hpp"

namespace ringside::cuda {

/// What a message is made of, in the order in which it must be moved.
using Pieces = std::vector<Piece>;

/// Vectors load and store at multiples of this many bytes.
inline constexpr std::uint64_t boundary = 16;
constexpr std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + boundary - 1) / boundary * boundary;
}

/// Where the slots of a work lie in the participants' memories.
class StreamLayout {
 public:
  explicit StreamLayout(const Work& work);

  bool adapts(ReduceOp op) const { return op_ == op && reduces(schedule_.spec().kind); }
  /// Inputs are scaled beside themselves: a source must stay as it is.
  bool scales_aside() const { return adapts(ReduceOp::mulsum) && !schedule_.spec().in_place; }

  std::uint64_t vector_bytes() const { return layout_.total() * element_; }
  std::uint64_t scratch_bytes() const { return schedule_.scratch_chunks() * room(); }
  std::uint64_t bytes(ChunkId chunk) const { return layout_.elements(chunk) * element_; }
  std::uint64_t bytes(const Transfer& t) const;
  Place place(const Slot& slot) const;
  Pieces pieces(const Transfer& t) const;
  /// By rank: all that its output is to hold in the end, as target and source; no transfer.
  std::vector<Pieces> totals() const;

 private:
  std::uint64_t room() const { return rounded_up(layout_.longest() * element_); }

  const Schedule& schedule_;
  ReduceOp op_;
  ChunkLayout layout_;
  std::uint64_t element_;
};

/// Cut into slices of at most `most` bytes, a multiple of the boundary; nothing is one empty slice.
std::vector<Pieces> cut(const Pieces& pieces, std::uint64_t most);

/// The pieces with that end of each (`&Piece::dst`) packed one behind the other from `first`.
Pieces packed(Pieces pieces, Place Piece::*end, const Place& first);

}  // namespace ringside::cuda
