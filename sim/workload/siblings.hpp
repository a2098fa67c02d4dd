#pragma once

#include <cstdint>

#include "core/engine.hpp"
#include "core/story.hpp"

namespace ringside::sim {

/// Ranks [first, first + extent) dealt out to groups of `size`, whose members lie `stride` apart:
/// with t GPUs in a tensor group, those are {t, 1}, and the data-parallel groups of d {d, t}. This
/// is Megatron-LM's order of ranks, tensor innermost (Narayanan et al., SC 2021;
/// parallel_state.py).
struct Groups {
  std::uint32_t size = 1, stride = 1;
  std::uint32_t extent = 1;  ///< a multiple of size * stride
  std::uint32_t first = 0;

  std::uint32_t count() const { return extent / size; }
  Rank rank(std::uint32_t group, std::uint32_t member) const {
    return {first + group / stride * size * stride + group % stride + member * stride};
  }
  friend auto operator<=>(const Groups&, const Groups&) = default;
};

/// All groups at once, each doing what the plan (of `groups.size` ranks, without agents) says, step
/// beside step: one story, in which they contend for wires. Its vector is one group's, in the
/// plan's chunks, and its collective is told as an all-reduce whatever it is, since groups that do
/// the same on parts of the ranks are no collective of all: good for times, not for proofs.
Story siblings(const Plan& plan, const Groups& groups);

/// Every rank of [first, first + count) sends its vector to the rank `distance` after it, or before
/// it.
struct Shift {
  std::uint32_t first = 0, count = 1;
  std::int64_t distance = 1;
  friend auto operator<=>(const Shift&, const Shift&) = default;
};
Story all_send(const Shift& shift);

}  // namespace ringside::sim
