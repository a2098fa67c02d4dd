// Pairwise exchange: in step s every rank sends to the one s to its right and receives from the one
// s to its left, so that no two meet at a port of a switch. No step waits for the one before: steps
// only say in which order blocks leave. Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005).

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const auto n = spec.ranks;
  for (std::uint32_t s = 0; s < n; ++s, sink.next_step())  // step 0: its own copy
    for (std::uint32_t r = 0; r < sink.heard(n); ++r) {
      const auto to = (r + s) % n;
      sink.copy(blocks.input(r, to), blocks.output(to, r), blocks.chunks());
    }
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return block_orbit(spec, options);
}

/// alpha + (N-1)/N S/B: all through one wire, latencies overlap.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return through_one_wire(std::int64_t{spec.ranks} - 1, part(size, spec.ranks), link);
}

}  // namespace

Algorithm all_to_all_pairwise() {
  return {.name = "pairwise",
          .collective = CollectiveKind::all_to_all,
          .summary = "in step s everyone sends s to its right: no two meet at a port",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::star,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
