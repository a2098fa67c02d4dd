#pragma once

#include <cstdint>

#include "core/transfer_sink.hpp"

// The two halves of ring all-reduce, one step at a time, over any ranks that a ring can be laid
// through. A ring of n positions takes n - 1 steps for each half; block b is complete at position b
// in between.

namespace ringside::algorithms {

/// Every `stride`-th rank from `first`: a row, a column, a rail. Positions count modulo `size`.
struct Group {
  std::uint32_t first, stride, size;
  std::uint32_t at(std::int64_t position) const {
    const std::int64_t n = size;
    return first + stride * static_cast<std::uint32_t>((position % n + n) % n);
  }
};

/// What one ring carries: block b is the chunks [first + b * chunks(), ... + chunks()), sent as
/// `messages` messages of `length` chunks.
struct RingLoad {
  std::uint32_t first = 0, messages = 1, length = 1, channel = 0;
  std::uint32_t chunks() const { return messages * length; }
};

/// Calls send(message's first chunk) for each message of the block; `block` counts modulo n.
template <typename Send>
void for_each_message(const RingLoad& load, std::int64_t block, std::int64_t n, Send send) {
  const auto b = static_cast<std::uint32_t>((block % n + n) % n);
  for (std::uint32_t m = 0; m < load.messages; ++m)
    send(load.first + b * load.chunks() + m * load.length);
}

/// Step s of a walk round n positions.
struct RingStep {
  std::int64_t n, s;
};

/// Step s of reduce-scatter: position p passes block p-1-s on. `own` is where each rank's part lies
/// (input, or output after an earlier phase); partial sums are kept in the output.
template <typename Ring>
void reduce_scatter_step(const Ring& ring, RingStep step, const RingLoad& load, Buffer own,
                         TransferSink& sink) {
  const auto [n, s] = step;
  for (std::int64_t p = 0; p < n; ++p) {
    const std::uint32_t from = ring.at(p), to = ring.at(p + 1);
    const auto held = s == 0 ? own : Buffer::output;
    for_each_message(load, p - 1 - s, n, [&, held](std::uint32_t chunk) {
      const Slot with{{to}, own, {chunk}};
      const Slot src{{from}, held, {chunk}};
      sink.reduce(src, with, output(to, chunk), load.length, load.channel);
    });
  }
}

/// Step s of all-gather: position p passes block p-s on.
template <typename Ring>
void all_gather_step(const Ring& ring, RingStep step, const RingLoad& load, TransferSink& sink) {
  const auto [n, s] = step;
  for (std::int64_t p = 0; p < n; ++p)
    for_each_message(load, p - s, n, [&](std::uint32_t chunk) {
      sink.copy(output(ring.at(p), chunk), output(ring.at(p + 1), chunk), load.length,
                load.channel);
    });
}

}  // namespace ringside::algorithms
