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

/// Up: chunk j leaves the deepest level in step j. Everyone's input is added into `inner` buffers
/// (output or scratch) on the way, and into the root's output. height + chunks - 1 steps.
void tell_up(std::span<const TreeLoad> loads, Buffer inner, TransferSink& sink);
/// Down: chunk j leaves the root's `source` buffer in step j; everyone else gets it in its output.
void tell_down(std::span<const TreeLoad> loads, Buffer source, TransferSink& sink);

/// One way, where every edge has a wire of its own: the first chunk takes height (latency + chunk),
/// each other arrives one `chunk` later. `chunk` is its time on a wire.
Duration pipeline_time(const TreeLoad& load, Duration chunk, Duration latency);

}  // namespace ringside::algorithms
