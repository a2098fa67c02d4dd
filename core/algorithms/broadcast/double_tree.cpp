// Two binary trees below the root, each for half of the vector, chunk by chunk: a rank that is busy
// inside one tree is a leaf of the other, so nearly all wires work all the time. With enough chunks
// hardly more than the time of one message, after lg N latencies only. Sanders, Speck & Traeff,
// "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 35
// (2009).

#include "core/algorithms/options.hpp"
#include "core/algorithms/two_trees.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 16);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_multiple(options, 1, "double_tree broadcast");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const auto root = spec.root.value;
  sink.copy(input(root, 0), output(root, 0), options.chunks);
  if (spec.ranks > 1) tell_down(two_trees(spec, options), 2, Buffer::input, sink);
}

/// See two_trees_time().
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  return two_trees_time(spec, options, size, link);
}

}  // namespace

Algorithm broadcast_double_tree() {
  return {.name = "double_tree",
          .collective = CollectiveKind::broadcast,
          .summary = "half of the vector down each of two trees, a leaf of one inside the other",
          .paper = "Sanders, Speck & Traeff, Parallel Computing 35 (2009)",
          .chunking = Chunking::tuned,
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
