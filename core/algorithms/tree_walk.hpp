#pragma once

#include <cstdint>
#include <span>

#include "core/algorithms/trees.hpp"
#include "core/transfer_sink.hpp"
#include "core/units.hpp"

// Chunks that travel over trees of ranks one behind the other. Several trees share the steps.

namespace ringside::algorithms {

/// A tree whose positions are ranks, and the chunks [first, first + chunks) that use it.
struct TreeLoad {
  Tree tree;
  std::uint32_t first = 0, chunks = 1;
};

// Chunk j crosses its first wire in step j, the next one `steps_a_hop` steps later, and so on. That
// only says who is served first where two trees meet in the port of one rank: a chunk that is told
// too early, before it can be there, holds up those of the other tree. So for two trees a hop
// counts 2 steps, as it takes where a chunk's time on the wire is about the latency; for one
// chain, 1.

/// Up from the deepest level: everyone's input is added into `inner` buffers (output or scratch) on
/// the way, and into the root's output.
void tell_up(std::span<const TreeLoad> loads, std::uint32_t steps_a_hop, Buffer inner,
             TransferSink& sink);
/// Down from the root's `source` buffer into everyone else's output.
void tell_down(std::span<const TreeLoad> loads, std::uint32_t steps_a_hop, Buffer source,
               TransferSink& sink);

/// One way, where every edge has a wire of its own: the first chunk takes height (latency + chunk),
/// each other arrives one `chunk` later. `chunk` is its time on a wire.
Duration pipeline_time(const TreeLoad& load, Duration chunk, Duration latency);

}  // namespace ringside::algorithms
