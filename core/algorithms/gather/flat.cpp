// Flat: everyone sends its block to the root. The root's wire is full from the first byte to the
// last: no algorithm gets N - 1 blocks through it sooner (the bound is in Chan, Heimlich,
// Purkayastha & van de Geijn, CCPE 19 (2007)) as long as latencies overlap.

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const FromRoot rank(spec.ranks, spec.root.value);
  for (std::uint32_t v = 0; v < spec.ranks; ++v) {  // position 0: the root's own copy
    const auto from = rank.at(v);
    sink.copy(blocks.input(from, from), blocks.output(rank.at(0), from), blocks.chunks());
  }
}

/// alpha + (N-1)/N S/B: all through one wire, latencies overlap.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return through_one_wire(std::int64_t{spec.ranks} - 1, part(size, spec.ranks), link);
}

}  // namespace

Algorithm gather_flat() {
  return {
      .name = "flat",
      .collective = CollectiveKind::gather,
      .summary = "everyone sends its block to the root itself",
      .paper = "folklore; its bound: Chan, Heimlich, Purkayastha & van de Geijn, CCPE 19 (2007)",
      .complete = complete_blocks,
      .supports = supports_blocks,
      .tell = tell,
      .predict = predict,
      .reference_shape = Shape::star};
}

}  // namespace ringside::algorithms
