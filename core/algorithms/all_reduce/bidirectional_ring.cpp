// Two rings at once, one half of the vector each way round: a full-duplex ring of wires carries
// twice what one direction can. The ring is Patarasuk & Yuan's, JPDC 69 (2009), and its mirror
// image.
//
// Two ranks have one neighbour, not two: then there is one ring.

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/ring.hpp"
#include "core/algorithms/ring_walk.hpp"

namespace ringside::algorithms {
namespace {

std::uint32_t directions(const CollectiveSpec& spec) {
  return spec.ranks > 2 ? 2 : 1;
}

/// The same ranks, the other way round.
struct Backwards {
  const Ring& ring;
  std::uint32_t at(std::int64_t position) const { return ring.at(-position); }
  template <typename Visit>
  void for_each_heard(std::uint32_t heard, Visit visit) const {
    ring.for_each_heard(heard, [&](std::int64_t position) { visit(-position); });
  }
};

Options complete(const CollectiveSpec& spec, const Options& given) {
  Options options = chunks_only(given, directions(spec) * spec.ranks);
  options.channels = directions(spec);
  options.rank_order = given.rank_order;
  return options;
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  return needs_multiple(options, directions(spec) * spec.ranks, "bidirectional_ring all_reduce");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Ring ring(spec, options);
  const Backwards backwards{ring};
  const std::int64_t n = spec.ranks;
  const auto half = options.chunks / directions(spec);
  const RingLoad right{.messages = half / spec.ranks};
  const RingLoad left{.first = half, .messages = half / spec.ranks, .channel = 1};

  for (std::int64_t s = 0; s < n - 1; ++s, sink.next_step()) {
    reduce_scatter_step(ring, {n, s}, right, Buffer::input, sink);
    if (n > 2) reduce_scatter_step(backwards, {n, s}, left, Buffer::input, sink);
  }
  for (std::int64_t s = 0; s < n - 1; ++s, sink.next_step()) {
    all_gather_step(ring, {n, s}, right, sink);
    if (n > 2) all_gather_step(backwards, {n, s}, left, sink);
  }
  if (n == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  Orbit orbit = ring_orbit(spec, options, directions(spec));
  orbit.reversed_from = 1;  // going left, one rank to the right is one position back
  orbit.in_order = false;
  return orbit;
}

/// 2(N-1) (alpha + S/(2 N B)) for N > 2 and one chunk a rank and direction.
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  return ring_steps(2 * (std::int64_t{spec.ranks} - 1),
                    options.chunks / (directions(spec) * spec.ranks), part(size, options.chunks),
                    link);
}

}  // namespace

Algorithm all_reduce_bidirectional_ring() {
  return {.name = "bidirectional_ring",
          .collective = CollectiveKind::all_reduce,
          .summary = "half the vector goes round to the right, the other half to the left",
          .paper = "Patarasuk & Yuan, JPDC 69 (2009), both ways at once",
          .chunking = Chunking::multiples,
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::ring,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
