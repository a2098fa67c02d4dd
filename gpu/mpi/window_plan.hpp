#pragma once

#include <cstdint>
#include <vector>

#include "core/backend.hpp"

namespace ringside::mpi {

/// What one rank does in executor window, over and over until all slices of its blocks are done.
/// Slices are small enough to stay in a cache. Plain data.
struct WindowPlan {
  enum class Phase : std::uint8_t {
    next_half,  ///< of everybody's room: who is late still takes from the other one
    lay,        ///< what this rank has, into its room
    meet,
    add,
    take,
    dawdle,  ///< as one whom the others overtake: tests ask for it
  };
  /// A block of this rank's own buffers, and the piece of a rank's room that has its slice.
  struct Copy {
    std::uint32_t block = 0, rank = 0, piece = 0;
    bool is_share = false;  ///< only the part of the slice that `rank` adds for all
  };

  std::vector<Phase> phases{};
  std::vector<Copy> laid{}, taken{};
  std::vector<std::uint32_t> added{};  ///< the ranks whose pieces number `added_piece` are added
  std::uint32_t added_piece = 0;
  /// This rank's share alone, into the piece of its room behind those that are laid; else all of
  /// the slice, into its own block of the output.
  bool adds_share = false;
  std::uint32_t pieces = 1;            ///< that are laid
  std::uint64_t count = 0, slice = 1;  ///< elements: of a block; of a slice at most
  bool scales = false, divides = false;
};

WindowPlan plan_window(std::uint32_t rank, const Work& work);

}  // namespace ringside::mpi
