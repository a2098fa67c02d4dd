#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gpu/host/slice_plan.hpp"

namespace ringside::host {

/// One loop that does what a whole strand does: target = (sources[0] op sources[1]) op
/// sources[2]... for every target, with everything between in registers.
struct Fusion {
  std::vector<std::byte*> targets;
  std::vector<const std::byte*> sources;
};

/// Runs the strand on symbols. Where all chunks that it writes end with the same chain of sources,
/// as in a ring, a star or a broadcast, that chain is all it does. Bit for bit: a sum's operands
/// may change sides, but never its order. Nothing where a total is a tree, where chunks end
/// differently, or where anything is scaled or divided.
std::optional<Fusion> fuse(const SlicePlan& plan, const Strand& strand);

}  // namespace ringside::host
