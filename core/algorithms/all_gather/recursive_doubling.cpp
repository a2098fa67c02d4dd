// Recursive doubling: partners at distance 1, 2, 4, ... exchange all they have, which doubles each
// time. lg N latencies, and no more bytes than a ring. Where N is no power of two,
// q = 2^floor(lg N) ranks do so for all: each of the first 2(N-q) even ranks takes its odd
// neighbour's block first and sends it the whole vector at last. Thakur, Rabenseifner & Gropp,
// IJHPCA 19 (2005).

#include <algorithm>

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"
#include "core/algorithms/fold.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const Fold fold(spec.ranks);
  for (std::uint32_t v = 0; v < sink.heard(fold.survivors()); ++v) {
    const auto r = fold.rank(v);
    sink.copy(blocks.input(r, r), blocks.output(r, r), blocks.chunks());
  }
  for (std::uint32_t v = 0; v < fold.extra(); ++v) {
    const auto even = fold.rank(v);
    sink.copy(blocks.input(even + 1, even + 1), blocks.output(even, even + 1), blocks.chunks());
  }
  if (fold.extra() > 0) sink.next_step();

  for (std::uint32_t distance = 1; distance < fold.survivors(); distance *= 2, sink.next_step())
    for (std::uint32_t v = 0; v < sink.heard(fold.survivors()); ++v) {
      const auto from = fold.rank(v), to = fold.rank(v ^ distance);
      const auto [first, n] = owned_blocks(fold, v, distance);
      const bool own_only = distance == 1 && !fold.is_folded(v);
      sink.copy(own_only ? blocks.input(from, first) : blocks.output(from, first),
                blocks.output(to, first), blocks.chunks(n));
    }

  for (std::uint32_t v = 0; v < fold.extra(); ++v)
    sink.copy(output(fold.rank(v), 0), output(fold.rank(v) + 1, 0), options.chunks);
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
  for (std::uint32_t v = 0; v < fold.extra(); ++v) has[v] = of_blocks(1);
  for (std::uint32_t distance = 1; distance < fold.survivors(); distance *= 2) {
    const auto had = has;
    for (std::uint32_t v = 0; v < fold.survivors(); ++v) {
      const auto from = v ^ distance;
      has[v] = std::max(had[v], had[from] + of_blocks(owned_blocks(fold, from, distance).count));
    }
  }
  for (std::uint32_t v = 0; v < fold.extra(); ++v) has[v] += message(size, link);
  return *std::max_element(has.begin(), has.end());
}

}  // namespace

Algorithm all_gather_recursive_doubling() {
  return {.name = "recursive_doubling",
          .collective = CollectiveKind::all_gather,
          .summary = "partners at distance 1, 2, 4, ... exchange all they have",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
