// Flat: everyone sends the whole vector to the root, which adds up what arrives. One latency, but
// N - 1 vectors through the root's wire. Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005), where
// every better algorithm starts from it.

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 1);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_multiple(options, 1, "flat reduce");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const FromRoot rank(spec.ranks, spec.root.value);
  const auto root = spec.root.value;
  for (std::uint32_t v = 1; v < spec.ranks; ++v)
    sink.reduce(input(rank.at(v), 0), v == 1 ? input(root, 0) : output(root, 0), output(root, 0),
                options.chunks);
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

/// alpha + (N-1) S/B: all through one wire, latencies overlap.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return through_one_wire(std::int64_t{spec.ranks} - 1, size, link);
}

}  // namespace

Algorithm reduce_flat() {
  return {.name = "flat",
          .collective = CollectiveKind::reduce,
          .summary = "everyone sends the whole vector to the root, which adds",
          .paper = "folklore; Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::star};
}

}  // namespace ringside::algorithms
