// Recursive halving: partners at distance q/2, q/4, ..., 1 exchange the half that the other will
// own, then the quarter, ... lg N latencies, and no more bytes than a ring. Where N is no power of
// two, q = 2^floor(lg N) ranks do so for all: each of the first 2(N-q) even ranks adds its odd
// neighbour's vector first and sends it its block at last. Thakur, Rabenseifner & Gropp, IJHPCA 19
// (2005).

#include <algorithm>

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"
#include "core/algorithms/fold.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const Fold fold(spec.ranks);
  for (std::uint32_t v = 0; v < fold.extra(); ++v) {
    const auto even = fold.rank(v);
    sink.reduce(input(even + 1, 0), input(even, 0), scratch(even, 0), options.chunks);
  }
  if (fold.extra() > 0) sink.next_step();

  const auto top = fold.survivors() / 2;
  const auto sum = [&](std::uint32_t v, std::uint32_t distance, std::uint32_t block) {
    return distance == top && !fold.is_folded(v) ? blocks.input(fold.rank(v), block)
                                                 : blocks.scratch(fold.rank(v), block);
  };
  for (auto distance = top; distance > 0; distance /= 2, sink.next_step())
    for (std::uint32_t v = 0; v < sink.heard(fold.survivors()); ++v) {
      const auto to = v ^ distance;
      const auto [first, n] = owned_blocks(fold, to, distance);
      const bool last = distance == 1 && !fold.is_folded(to);
      sink.reduce(sum(v, distance, first), sum(to, distance, first),
                  last ? blocks.output(fold.rank(to), first) : blocks.scratch(fold.rank(to), first),
                  blocks.chunks(n));
    }

  for (std::uint32_t v = 0; v < fold.extra(); ++v)
    for (const auto r : {fold.rank(v), fold.rank(v) + 1})
      sink.copy(blocks.scratch(fold.rank(v), r), blocks.output(r, r), blocks.chunks());
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return butterfly_orbit(spec, spec.ranks, options.chunks);
}

/// lg N alpha + (N-1)/N S/B for powers of two. Else survivors with one and with two blocks wait for
/// each other: a recurrence over the steps.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  const Fold fold(spec.ranks);
  const auto of_blocks = [&](std::uint32_t n) { return message(n * part(size, spec.ranks), link); };
  std::vector<Duration> has(fold.survivors());
  for (std::uint32_t v = 0; v < fold.extra(); ++v) has[v] = message(size, link);
  for (auto distance = fold.survivors() / 2; distance > 0; distance /= 2) {
    const auto had = has;
    for (std::uint32_t v = 0; v < fold.survivors(); ++v)
      has[v] =
          std::max(had[v], had[v ^ distance] + of_blocks(owned_blocks(fold, v, distance).count));
  }
  for (std::uint32_t v = 0; v < fold.extra(); ++v) has[v] += of_blocks(1);
  return *std::max_element(has.begin(), has.end());
}

}  // namespace

Algorithm reduce_scatter_recursive_halving() {
  return {.name = "recursive_halving",
          .collective = CollectiveKind::reduce_scatter,
          .summary = "partners exchange halves, then quarters, ...: few latencies, few bytes",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
