// Binomial tree: in every round each rank that has the vector sends it to one that has not, the
// farthest first. ceil(lg N) messages one after the other where a rank sends one at a time; fewer
// latencies no algorithm needs then, but the whole vector travels each time: for small ones.
// Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005).

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 1);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_multiple(options, 1, "binomial broadcast");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const BinomialTree tree(spec.ranks);
  const FromRoot rank(spec.ranks, spec.root.value);
  const auto root = spec.root.value;
  sink.copy(input(root, 0), output(root, 0), options.chunks);
  for (auto k = tree.rounds(); k-- > 0; sink.next_step())
    tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
      sink.copy(parent == 0 ? input(root, 0) : output(rank.at(parent), 0),
                output(rank.at(child), 0), options.chunks);
    });
}

/// floor(lg N) (alpha + S/B): where every pair has a wire, a rank's sends overlap, and the deepest
/// leaf of the tree is the last to hear.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return BinomialTree(spec.ranks).height() * message(size, link);
}

}  // namespace

Algorithm broadcast_binomial() {
  return {.name = "binomial",
          .collective = CollectiveKind::broadcast,
          .summary = "whoever has it passes it on: the number of those who know doubles each round",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
