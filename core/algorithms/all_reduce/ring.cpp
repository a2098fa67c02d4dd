// Ring all-reduce: 2(N-1) steps; each rank sends 2(N-1)/N of the vector, the least any algorithm
// can. Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
// JPDC 69 (2009).
//
// Block b leaves position b+1, collects every rank's part on its way round, and is complete at
// position b (reduce-scatter); then it goes round once more as a copy (all-gather). With k chunks a
// block, the first is passed on while the others are still on the wire, which hides the latency.

#include "core/algorithms/ring.hpp"
#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/ring_walk.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec& spec, const Options& given) {
  Options options = chunks_only(given, spec.ranks);
  options.rank_order = given.rank_order;
  return options;
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  return needs_multiple(options, spec.ranks, "ring all_reduce");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Ring ring(spec, options);
  const std::int64_t n = spec.ranks;
  const RingLoad load{.messages = options.chunks / spec.ranks};

  for (std::int64_t s = 0; s < n - 1; ++s, sink.next_step())
    reduce_scatter_step(ring, {n, s}, load, Buffer::input, sink);
  for (std::int64_t s = 0; s < n - 1; ++s, sink.next_step())
    all_gather_step(ring, {n, s}, load, sink);
  if (n == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return ring_orbit(spec, options);
}

/// 2(N-1) (alpha + S/(N B)) for one chunk a rank.
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  return ring_steps(2 * (std::int64_t{spec.ranks} - 1), options.chunks / spec.ranks,
                    part(size, options.chunks), link);
}

}  // namespace

Algorithm all_reduce_ring() {
  return {.name = "ring",
          .collective = CollectiveKind::all_reduce,
          .summary = "every rank talks to its right neighbour only, and every wire is always full",
          .paper = "Patarasuk & Yuan, JPDC 69 (2009)",
          .chunking = Chunking::multiples,
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::ring,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
