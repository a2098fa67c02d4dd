// Reduce up a binomial tree to rank 0, then broadcast down the same tree: the textbook's "reduce,
// then broadcast". The root is busy, the leaves are idle, and the whole vector travels each time.
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
  return needs_multiple(options, 1, "binomial_tree all_reduce");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const BinomialTree tree(spec.ranks);
  for (std::uint32_t k = 0; k < tree.rounds(); ++k, sink.next_step())
    tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
      const bool child_is_leaf = tree.size(child) == 1, first_part = k == 0;
      sink.reduce(child_is_leaf ? input(child, 0) : output(child, 0),
                  first_part ? input(parent, 0) : output(parent, 0), output(parent, 0),
                  options.chunks);
    });
  for (auto k = tree.rounds(); k-- > 0; sink.next_step())
    tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
      sink.copy(output(parent, 0), output(child, 0), options.chunks);
    });
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

/// 2 floor(lg N) (alpha + S/B): twice the longest path of the tree.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return 2 * BinomialTree(spec.ranks).height() * message(size, link);
}

}  // namespace

Algorithm all_reduce_binomial_tree() {
  return {.name = "binomial_tree",
          .collective = CollectiveKind::all_reduce,
          .summary = "up a binomial tree to rank 0, then down again, the whole vector each time",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
