#pragma once

#include <cstdint>

#include "core/algorithms/wrapped.hpp"
#include "core/transfer_sink.hpp"

// The two halves of ring all-reduce, one step at a time, over any ranks that a ring can be laid
// through. A ring of n positions takes n - 1 steps for each half; block b is complete at position b
// in between.

namespace ringside::algorithms {

/// Every `stride`-th rank from `first`: a row, a column, a rail. Positions count modulo `size`.
struct Group {
  std::uint32_t first, stride, size;
  std::uint32_t at(std::int64_t position) const { return first + stride * wrapped(position, size); }
  /// Calls visit(position) for those of ranks [0, heard).
  template <typename Visit>
  void for_each_heard(std::uint32_t heard, Visit visit) const {
    for (std::uint32_t p = 0; p < size && first + stride * p < heard; ++p) visit(p);
  }
};

/// What one ring carries: block b is the chunks [first + b * chunks(), ... + chunks()), sent as
/// `messages` messages of `length` chunks.
struct RingLoad {
  std::uint32_t first = 0, messages = 1, length = 1, channel = 0;
  std::uint32_t chunks() const { return messages * length; }
};

/// Step s of a walk round n positions.
struct RingStep {
  std::int64_t n, s;
};

/// Calls send(from, to, chunk) for each message of a step that `sink` hears: position p passes
/// block `first` + p on, modulo n, as chunks from `chunk` on.
template <typename Ring, typename Send>
// NOLINTNEXTLINE(readability-function-size): who, when, what, from which block on, to whom, how
void pass_on(const Ring& ring, RingStep step, const RingLoad& load, std::int64_t first,
             const TransferSink& sink, Send send) {
  const std::int64_t n = step.n;
  const auto send_block = [&](std::uint32_t from, std::uint32_t to, std::uint32_t block) {
    auto chunk = load.first + block * load.chunks();
    for (std::uint32_t m = 0; m < load.messages; ++m, chunk += load.length) send(from, to, chunk);
  };
  if (!sink.hears_all()) {
    ring.for_each_heard(sink.heard(UINT32_MAX), [&](std::int64_t p) {
      send_block(ring.at(p), ring.at(p + 1), wrapped(first + p, n));
    });
    return;
  }
  auto block = wrapped(first, n), from = ring.at(0);
  for (std::int64_t p = 0; p < n; ++p) {
    const auto to = ring.at(p + 1);
    send_block(from, to, block);
    from = to;
    if (++block == n) block = 0;
  }
}

/// Step s of reduce-scatter: position p passes block p-1-s on. `own` is where each rank's part lies
/// (input, or output after an earlier phase); partial sums are kept in the output.
template <typename Ring>
void reduce_scatter_step(const Ring& ring, RingStep step, const RingLoad& load, Buffer own,
                         TransferSink& sink) {
  const auto held = step.s == 0 ? own : Buffer::output;
  pass_on(ring, step, load, -1 - step.s, sink,
          [&](std::uint32_t from, std::uint32_t to, std::uint32_t chunk) {
            sink.reduce({{from}, held, {chunk}}, {{to}, own, {chunk}}, output(to, chunk),
                        load.length, load.channel);
          });
}

/// Step s of all-gather: position p passes block p-s on.
template <typename Ring>
void all_gather_step(const Ring& ring, RingStep step, const RingLoad& load, TransferSink& sink) {
  pass_on(ring, step, load, -step.s, sink,
          [&](std::uint32_t from, std::uint32_t to, std::uint32_t chunk) {
            sink.copy(output(from, chunk), output(to, chunk), load.length, load.channel);
          });
}

}  // namespace ringside::algorithms
