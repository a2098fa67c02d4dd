// Ring reduce-scatter: block b leaves the position after rank b's, collects every rank's part on
// its way round, and ends complete on rank b. N - 1 steps, each rank sends (N-1)/N of the vector,
// the least any algorithm can. Patarasuk & Yuan, JPDC 69 (2009). With k chunks a block, the first
// is passed on while the others are still on the wire, which hides the latency.

#include "core/algorithms/ring.hpp"
#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec& spec, const Options& given) {
  Options options = complete_blocks(spec, given);
  options.rank_order = given.rank_order;
  return options;
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Ring ring(spec, options);
  const std::int64_t n = spec.ranks;
  const std::uint32_t width = options.chunks / spec.ranks;

  for (std::int64_t s = 0; s < n - 1; ++s, sink.next_step())
    for_each_position(ring, sink, [&](std::int64_t p) {
      const auto from = ring.at(p), to = ring.at(p + 1), block = ring.at(p - 1 - s);
      for (auto c = block * width; c < (block + 1) * width; ++c)
        sink.reduce(s == 0 ? input(from, c) : scratch(from, c), input(to, c),
                    s == n - 2 ? output(to, c) : scratch(to, c));
    });
  if (n == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return ring_orbit(spec, options);
}

/// (N-1) (alpha + S/(N B)) for one chunk a block.
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  return ring_steps(std::int64_t{spec.ranks} - 1, options.chunks / spec.ranks,
                    part(size, options.chunks), link);
}

}  // namespace

Algorithm reduce_scatter_ring() {
  return {.name = "ring",
          .collective = CollectiveKind::reduce_scatter,
          .summary = "each block goes once round the ring and collects every rank's part",
          .paper = "Patarasuk & Yuan, JPDC 69 (2009)",
          .chunking = Chunking::multiples,
          .complete = complete,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::ring,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
