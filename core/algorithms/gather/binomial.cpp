// Binomial tree: in every round half of the ranks that still hold blocks hand all of them on, the
// nearest first, so messages double. ceil(lg N) messages one after the other where a rank receives
// one at a time, and each byte crosses the root's wire once: for small blocks. Thakur, Rabenseifner
// & Gropp, IJHPCA 19 (2005).
//
// Blocks are collected in the order of positions from the root, and put in the order of ranks at
// last.

#include "core/algorithms/binomial_blocks.hpp"
#include "core/algorithms/blocks.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const BinomialTree tree(spec.ranks);
  const FromRoot rank(spec.ranks, spec.root.value);
  const auto root = spec.root.value;
  for (std::uint32_t v = 0; v < spec.ranks; ++v)
    if (v == 0 || tree.size(v) > 1) {
      const auto r = rank.at(v);
      sink.copy(blocks.input(r, r), v == 0 ? blocks.output(r, r) : blocks.scratch(r, v),
                blocks.chunks());
    }
  for (std::uint32_t k = 0; k < tree.rounds(); ++k) {
    sink.next_step();
    tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
      const auto from = rank.at(child), size = tree.size(child);
      sink.copy(size == 1 ? blocks.input(from, from) : blocks.scratch(from, child),
                blocks.scratch(rank.at(parent), child), blocks.chunks(size));
    });
  }
  sink.next_step();
  if (spec.ranks > 1)
    for_each_piece(spec.ranks, rank.at(1), spec.ranks - 1,
                   [&](std::uint32_t place, std::uint32_t block, std::uint32_t length) {
                     sink.copy(blocks.scratch(root, 1 + place), blocks.output(root, block),
                               blocks.chunks(length));
                   });
}

/// lg N alpha + (N-1)/N S/B for powers of two; else the slowest path of the tree.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return binomial_blocks_time(spec.ranks, part(size, spec.ranks), link);
}

}  // namespace

Algorithm gather_binomial() {
  return {.name = "binomial",
          .collective = CollectiveKind::gather,
          .summary = "half of those who still hold blocks hand all of them on, each round",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
