#pragma once

#include <algorithm>
#include <cstdint>

#include "core/algorithm.hpp"

// What predict() functions are made of: Hockney's alpha + S/B, nothing of the simulator's.

namespace ringside::algorithms {

/// The largest of `parts` pieces of a vector of `size` (> 0 parts): exact where they divide it.
constexpr Bytes part(Bytes size, std::uint64_t parts) {
  return {(size.count + parts - 1) / parts};
}

/// One message between two ranks that the reference shape joins.
inline Duration message(Bytes size, const LinkCost& link) {
  return link.latency + wire_time(size, link.bandwidth);
}

/// `messages` of `size` through one wire, one after the other; latencies overlap.
inline Duration through_one_wire(std::int64_t messages, Bytes size, const LinkCost& link) {
  if (messages == 0) return {};
  return link.latency + messages * wire_time(size, link.bandwidth);
}

/// A ring whose every wire carries `messages` messages of `size` a step, each passed on as soon as
/// it is there. Either the wires are always full and only the last latency shows, or each message
/// waits for its own arrival and the others ride in its shadow.
inline Duration ring_steps(std::int64_t steps, std::int64_t messages, Bytes size,
                           const LinkCost& link) {
  if (steps == 0) return {};
  const Duration wire = wire_time(size, link.bandwidth);
  return std::max(steps * messages * wire + link.latency,
                  steps * (wire + link.latency) + (messages - 1) * wire);
}

}  // namespace ringside::algorithms
