#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "gpu/host/linear_order.hpp"

namespace ringside::host {

// A schedule as one list of moves a participant. Who receives moves the data: it fetches from its
// source, so that a message needs no second copy unless it must wait in a landing area. A move
// waits for moves of others; what it needs of its own participant's moves went before it in the
// list.

/// Wait until `participant` has made `moves` of its moves, the last of them for `transfer`.
struct Wait {
  std::uint32_t participant = 0, moves = 0;
  TransferId transfer;
};

/// Memory that lies in one piece at all its places.
struct Piece {
  std::byte* target = nullptr;
  const std::byte *with = nullptr, *source = nullptr;
  std::size_t elements = 0;
};

struct Move {
  Event event;
  bool reduces = false;
  std::uint32_t waits_end = 0, pieces_end = 0;  ///< they begin where those of the move before end
};

struct RankPlan {
  std::vector<std::vector<Move>> moves;    // by participant, as are
  std::vector<std::vector<Wait>> waits;    // what they wait for, and
  std::vector<std::vector<Piece>> pieces;  // what they move
  std::vector<std::vector<std::byte>> scratch, landing;
  std::vector<std::vector<std::byte>> scaled;  ///< by rank: inputs times mulsum's scalar
};

/// Allocates all that the schedule needs besides the ranks' own buffers.
RankPlan plan_ranks(const Work& work, const Memory& memory);

}  // namespace ringside::host
