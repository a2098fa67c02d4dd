// Binomial tree, upwards: in every round half of the ranks that still hold a part hand it to a
// neighbour in the tree and are done, the nearest first. Thakur, Rabenseifner & Gropp, IJHPCA 19
// (2005).

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 1);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_multiple(options, 1, "binomial reduce");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const BinomialTree tree(spec.ranks);
  const FromRoot rank(spec.ranks, spec.root.value);
  const auto sum = [&](std::uint32_t v) {
    return v == 0 ? output(rank.at(v), 0) : scratch(rank.at(v), 0);
  };
  for (std::uint32_t k = 0; k < tree.rounds(); ++k, sink.next_step())
    tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
      // A multiple of 2^k got its first part in round 0, unless it is the last rank of all.
      const bool child_is_leaf = tree.size(child) == 1, first_part = k == 0;
      sink.reduce(child_is_leaf ? input(rank.at(child), 0) : sum(child),
                  first_part ? input(rank.at(parent), 0) : sum(parent), sum(parent),
                  options.chunks);
    });
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

/// floor(lg N) (alpha + S/B), as broadcast.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return BinomialTree(spec.ranks).height() * message(size, link);
}

}  // namespace

Algorithm reduce_binomial() {
  return {.name = "binomial",
          .collective = CollectiveKind::reduce,
          .summary = "half of those who still hold a part hand it on, each round",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
