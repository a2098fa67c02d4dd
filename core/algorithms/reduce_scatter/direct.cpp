// Direct reduce-scatter: everyone sends block b to rank b, which adds up what arrives. One latency;
// the best there is where every pair has a wire of its own. At distance d all ranks send to
// different ones, so that no port of a switch is asked for twice at once. Thakur, Rabenseifner &
// Gropp, IJHPCA 19 (2005), as pairwise exchange.

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const auto n = spec.ranks;
  for (std::uint32_t d = 1; d < n; ++d)
    for (std::uint32_t r = 0; r < sink.heard(n); ++r) {
      const auto owner = (r + d) % n;
      sink.reduce(blocks.input(r, owner),
                  d == 1 ? blocks.input(owner, owner) : blocks.output(owner, owner),
                  blocks.output(owner, owner), blocks.chunks());
    }
  if (n == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return block_orbit(spec, options);
}

/// alpha + S/(N B).
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return spec.ranks == 1 ? Duration{} : message(part(size, spec.ranks), link);
}

}  // namespace

Algorithm reduce_scatter_direct() {
  return {.name = "direct",
          .collective = CollectiveKind::reduce_scatter,
          .summary = "everyone sends block b to rank b, which adds up what arrives",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005), pairwise exchange",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
