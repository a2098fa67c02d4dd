// Binomial tree: in every round each rank that holds blocks of others hands half of them on, the
// farthest first, so messages halve. ceil(lg N) messages one after the other where a rank sends one
// at a time, and each byte crosses the root's wire once: for small blocks. Thakur, Rabenseifner &
// Gropp, IJHPCA 19 (2005).
//
// Blocks are put in the order of positions from the root first.

#include "core/algorithms/binomial_blocks.hpp"
#include "core/algorithms/blocks.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const BinomialTree tree(spec.ranks);
  const FromRoot rank(spec.ranks, spec.root.value);
  const auto root = spec.root.value;
  sink.copy(blocks.input(root, root), blocks.output(root, root), blocks.chunks());
  if (spec.ranks > 1)
    for_each_piece(spec.ranks, rank.at(1), spec.ranks - 1,
                   [&](std::uint32_t place, std::uint32_t block, std::uint32_t length) {
                     sink.copy(blocks.input(root, block), blocks.scratch(root, 1 + place),
                               blocks.chunks(length));
                   });
  for (auto k = tree.rounds(); k-- > 0;) {
    sink.next_step();
    tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
      const auto to = rank.at(child), size = tree.size(child);
      sink.copy(blocks.scratch(rank.at(parent), child),
                size == 1 ? blocks.output(to, to) : blocks.scratch(to, child), blocks.chunks(size));
    });
  }
  sink.next_step();
  for (std::uint32_t v = 1; v < spec.ranks; ++v)
    if (tree.size(v) > 1) {
      const auto r = rank.at(v);
      sink.copy(blocks.scratch(r, v), blocks.output(r, r), blocks.chunks());
    }
}

/// lg N alpha + (N-1)/N S/B for powers of two; else the slowest path of the tree.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return binomial_blocks_time(spec.ranks, part(size, spec.ranks), link);
}

}  // namespace

Algorithm scatter_binomial() {
  return {.name = "binomial",
          .collective = CollectiveKind::scatter,
          .summary = "whoever holds blocks of others hands half of them on, each round",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
