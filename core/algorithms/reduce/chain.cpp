// Chain: partial sums go from rank to rank round the ring to the root, cut into chunks so that all
// wires of the chain work at once. N - 1 latencies, but with enough chunks hardly more than the
// time of one message for any N: for large vectors. Watts & van de Geijn, "A pipelined broadcast
// for multidimensional meshes", Parallel Processing Letters 5 (1995).

#include <algorithm>
#include <array>

#include "core/algorithms/chain.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/tree_walk.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  Options options = chunks_only(given, 16);
  options.rank_order = given.rank_order;
  return options;
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_multiple(options, 1, "chain reduce");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  auto order = ring_from(Ring(spec, options), spec.root.value);
  std::reverse(order.begin() + 1, order.end());  // so that sums travel with the ring
  const std::array loads{TreeLoad{chain(order), 0, options.chunks}};
  tell_up(loads, 1, Buffer::scratch, sink);
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

/// With k chunks: (N-1) (alpha + S/(k B)) + (k-1) S/(k B).
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  return chain_time(spec.ranks, options.chunks, size, link);
}

}  // namespace

Algorithm reduce_chain() {
  return {
      .name = "chain",
      .collective = CollectiveKind::reduce,
      .summary = "sums from neighbour to neighbour in chunks, every wire of the chain busy at once",
      .paper = "Watts & van de Geijn, Parallel Processing Letters 5 (1995)",
      .chunking = Chunking::tuned,
      .complete = complete,
      .supports = supports,
      .tell = tell,
      .predict = predict,
      .reference_shape = Shape::ring};
}

}  // namespace ringside::algorithms
