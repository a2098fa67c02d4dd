// Two levels: reduce-scatter inside each node, all-reduce across the nodes, all-gather inside. Of
// each vector only 1/G crosses a node's network card, G ranks a node, and rank j of every node
// talks to the j-th of the others only: one rail each. Cho, Finkler, Serrano, Kung & Hunter,
// "BlueConnect", IBM J. R&D 63 (2019).

#include "core/algorithms/grid_walk.hpp"
#include "core/algorithms/options.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec& spec, const Options& given) {
  Options options = chunks_only(given, spec.ranks);
  options.ranks_per_node = node_size(given, spec.ranks);
  return options;
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  RS_TRY(needs_equal_nodes(spec, options, "hierarchical all_reduce"));
  return needs_chunks(options, spec.ranks, "hierarchical all_reduce");
}

std::vector<std::uint32_t> sides(const CollectiveSpec& spec, const Options& options) {
  return {spec.ranks / options.ranks_per_node, options.ranks_per_node};
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  tell_grid_all_reduce(sides(spec, options), sink);
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return grid_orbit(sides(spec, options));
}

/// 2(G-1) (alpha + S/(G B)) + 2(N/G-1) (alpha + S/(N B)).
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  return predict_grid_all_reduce(sides(spec, options), size, link);
}

}  // namespace

Algorithm all_reduce_hierarchical() {
  return {.name = "hierarchical",
          .collective = CollectiveKind::all_reduce,
          .summary = "rings inside each node, then across nodes on 1/G of the vector a rail",
          .paper = "Cho, Finkler, Serrano, Kung & Hunter, BlueConnect, IBM J. R&D 63 (2019)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
