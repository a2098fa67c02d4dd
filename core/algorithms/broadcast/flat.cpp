// Flat: the root sends the whole vector to everyone, one after the other. One latency, but N - 1
// vectors through the root's wire. Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005), where every
// better algorithm starts from it.

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 1);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_multiple(options, 1, "flat broadcast");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const FromRoot rank(spec.ranks, spec.root.value);
  for (std::uint32_t v = 0; v < spec.ranks; ++v)  // position 0: the root's own copy
    sink.copy(input(rank.at(0), 0), output(rank.at(v), 0), options.chunks);
}

/// alpha + (N-1) S/B: all through one wire, latencies overlap.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return through_one_wire(std::int64_t{spec.ranks} - 1, size, link);
}

}  // namespace

Algorithm broadcast_flat() {
  return {.name = "flat",
          .collective = CollectiveKind::broadcast,
          .summary = "the root sends the whole vector to everyone itself",
          .paper = "folklore; Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::star};
}

}  // namespace ringside::algorithms
