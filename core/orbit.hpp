#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/transfer.hpp"

namespace ringside {

/// How a story repeats itself from one group of ranks to the others: what ranks [0, G) send, ranks
/// [G, 2G), [2G, 3G), ... send in the same steps, each rank in the same order, and each group in
/// its own part of the vector. So one group can stand for all (sim/folding.hpp).
///
/// The vector is rows of blocks of chunks: chunk (row * blocks + block) * width + i. With one block
/// a row all groups use the vector alike. tests/property/orbit_test.cpp holds every story to what
/// is said of it.
struct Orbit {
  /// What carries group 0 to group g.
  enum class Motion : std::uint8_t {
    /// Rank r to r + g G (mod N), block b to b + g turn (mod `blocks`): rings.
    rotation,
    /// Rank r to r ^ g G, block b to b ^ g G: butterflies. G and `groups` are powers of two, and
    /// there is one block or one a rank.
    exclusive_or,
  };

  std::uint32_t ranks = 0;   ///< G; 0: the story does not repeat itself, or nobody knows how
  std::uint32_t groups = 1;  ///< G * groups = N
  std::uint32_t blocks = 1, width = 1;
  std::uint32_t turn = 1;
  std::uint32_t reversed_from = UINT32_MAX;  ///< rows from here on turn the other way
  /// Within a step the ranks of a group are told in the same order in each group.
  bool in_order = true;
  /// Within a step, what ranks send first is told before what any sends second, and so on.
  bool in_rounds = false;
  Motion motion = Motion::rotation;
  /// Block b is the one that rank b, its bits in reverse order, ends up with.
  bool bits_reversed = false;

  /// Whether there are several groups.
  bool repeats() const { return ranks > 0 && groups > 1; }
  /// The same with `times` groups taken for one; `times` divides `groups`.
  Orbit coarser(std::uint32_t times) const;
  /// The groups to which group 0 must be carried so that it comes to all of them, again and again.
  std::vector<std::uint32_t> generators() const;
  /// Where a rank comes to if group 0 comes to `group`.
  std::uint32_t carried(std::uint32_t rank, std::uint32_t group) const;
  /// The `chunks` slots from `slot` on as group 0 would name them, where they are to group `group`
  /// what those are to it. None if those are not consecutive: several blocks of a row, but not all.
  std::optional<Slot> turned_back(Slot slot, std::uint32_t chunks, std::uint32_t group) const;
  /// The transfer between slots of group 0 that stands for this one, which group 0 sends: what it
  /// does elsewhere, the transfer into group 0 that is like it does there.
  std::optional<Transfer> home(const Transfer& transfer) const;
};

}  // namespace ringside
