// Ring all-reduce: 2(N-1) steps; each rank sends 2(N-1)/N of the vector, the least any algorithm
// can. Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
// JPDC 69 (2009).
//
// Chunk c leaves position c+1, collects every rank's part on its way round, and is complete at
// position c (reduce-scatter); then it goes round once more as a copy (all-gather).

#include "core/algorithms/ring.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec& spec, const Options& given) {
  Options options = given;
  if (options.chunks == 0) options.chunks = spec.ranks;
  options.channels = 1;
  return options;
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  if (options.chunks != spec.ranks)
    return bad_request("ring all_reduce needs one chunk a rank: --chunks " +
                       std::to_string(spec.ranks) + ", not " + std::to_string(options.chunks));
  return {};
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Ring ring(spec, options);
  const std::int64_t n = spec.ranks;
  const auto chunk = [n](std::int64_t c) { return static_cast<std::uint32_t>((c + 2 * n) % n); };

  for (std::int64_t s = 0; s < n - 1; ++s, sink.next_step())
    for (std::int64_t p = 0; p < n; ++p) {
      const auto from = ring.at(p), to = ring.at(p + 1), c = chunk(p - 1 - s);
      sink.reduce(s == 0 ? input(from, c) : output(from, c), input(to, c), output(to, c));
    }
  for (std::int64_t s = 0; s < n - 1; ++s, sink.next_step())
    for (std::int64_t p = 0; p < n; ++p) {
      const auto c = chunk(p - s);
      sink.copy(output(ring.at(p), c), output(ring.at(p + 1), c));
    }
  if (n == 1) sink.copy(input(0, 0), output(0, 0));
}

/// 2(N-1) (alpha + S/(N B)).
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  const Bytes chunk{(size.count + spec.ranks - 1) / spec.ranks};
  return 2 * (spec.ranks - std::int64_t{1}) * (link.latency + wire_time(chunk, link.bandwidth));
}

}  // namespace

Algorithm all_reduce_ring() {
  return {.name = "ring",
          .collective = CollectiveKind::all_reduce,
          .summary = "every rank talks to its right neighbour only, and every wire is always full",
          .paper = "Patarasuk & Yuan, JPDC 69 (2009)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::ring,
          .symmetry = Symmetry::rotation};
}

}  // namespace ringside::algorithms
