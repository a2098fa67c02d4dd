#pragma once

#include <cstdint>
#include <optional>

#include "core/transfer.hpp"

namespace ringside {

/// How a story repeats itself from one group of ranks to the next. What ranks [0, G) send, ranks
/// [G, 2G), [2G, 3G), ... send in the same steps, each rank in the same order, to ranks as far to
/// their right, and each group in its own part of the vector: so one group can stand for all
/// (sim/folding.hpp).
///
/// The vector is rows of blocks of chunks: chunk (row * blocks + block) * width + i. What block b
/// is to one group, block b + turn (modulo `blocks`) is to the next, or b - turn in rows from
/// `reversed_from` on. With one block a row all groups use the vector alike.
/// tests/property/orbit_test.cpp holds every story to what is said of it.
struct Orbit {
  std::uint32_t ranks = 0;   ///< G; 0: the story does not repeat itself, or nobody knows how
  std::uint32_t groups = 1;  ///< G * groups = N
  std::uint32_t blocks = 1, width = 1, turn = 1;
  std::uint32_t reversed_from = UINT32_MAX;
  /// Within a step the ranks of a group are told in the same order in each group.
  bool in_order = true;

  /// Whether there are several groups.
  bool repeats() const { return ranks > 0 && groups > 1; }
  /// The same with `times` groups taken for one; `times` divides `groups`.
  Orbit coarser(std::uint32_t times) const {
    return {ranks * times,         groups / times, blocks,  width,
            turn * times % blocks, reversed_from,  in_order};
  }
  /// The `chunks` slots from `slot` on as the group `back` before theirs would name them. None if
  /// those are not consecutive: several blocks of a row, but not all.
  std::optional<Slot> turned_back(Slot slot, std::uint32_t chunks, std::uint32_t back) const;
  /// The transfer between slots of group 0 that stands for this one, which group 0 sends: what it
  /// does elsewhere, the transfer into group 0 that is like it does there.
  std::optional<Transfer> home(const Transfer& transfer) const;
};

}  // namespace ringside
