// Direct all-to-all: everyone sends everyone its block, all at once, to rank 0 first. One latency
// where every pair has a wire of its own; behind a switch all queue for rank 0's wire first, then
// for rank 1's, ...: see pairwise.

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  for (std::uint32_t r = 0; r < spec.ranks; ++r)
    for (std::uint32_t to = 0; to < spec.ranks; ++to)
      sink.copy(blocks.input(r, to), blocks.output(to, r), blocks.chunks());
}

/// alpha + S/(N B).
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return spec.ranks == 1 ? Duration{} : message(part(size, spec.ranks), link);
}

}  // namespace

Algorithm all_to_all_direct() {
  return {
      .name = "direct",
      .collective = CollectiveKind::all_to_all,
      .summary = "everyone sends everyone its block at once, to rank 0 first: all meet at one port",
      .paper = "folklore: the definition, done literally",
      .complete = complete_blocks,
      .supports = supports_blocks,
      .tell = tell,
      .predict = predict,
      .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
