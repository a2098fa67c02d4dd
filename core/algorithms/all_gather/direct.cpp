// Direct all-gather: everyone sends its block to everyone. One latency; the best there is where
// every pair has a wire of its own. At distance d all ranks send to different ones, so that no port
// of a switch is asked for twice at once.

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const auto n = spec.ranks;
  for (std::uint32_t d = 0; d < n; ++d)  // distance 0: its own copy
    for (std::uint32_t r = 0; r < sink.heard(n); ++r)
      sink.copy(blocks.input(r, r), blocks.output((r + d) % n, r), blocks.chunks());
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return block_orbit(spec, options);
}

/// alpha + S/(N B).
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return spec.ranks == 1 ? Duration{} : message(part(size, spec.ranks), link);
}

}  // namespace

Algorithm all_gather_direct() {
  return {.name = "direct",
          .collective = CollectiveKind::all_gather,
          .summary = "everyone sends its block to everyone, all at once",
          .paper = "folklore: the definition, done literally",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
