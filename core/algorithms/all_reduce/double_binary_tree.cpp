// Two binary trees, each for half of the vector: up chunk by chunk, then down. A rank that is busy
// inside one tree is a leaf of the other, so all wires work. Latency grows with lg N where a ring's
// grows with N. Sanders, Speck & Traeff, Parallel Computing 35 (2009); NCCL's tree algorithm.
//
// All that goes up is told before what comes down: no wait follows from that, but on a wire that
// both trees use (one upwards, one downwards) nothing queues behind a chunk that is not there yet.

#include <algorithm>

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/tree_walk.hpp"

namespace ringside::algorithms {
namespace {

std::array<TreeLoad, 2> halves(const CollectiveSpec& spec, const Options& options) {
  auto [first, second] = double_binary_tree(spec.ranks);
  const auto half = (options.chunks + 1) / 2;
  return {TreeLoad{std::move(first), 0, half},
          TreeLoad{std::move(second), half, options.chunks - half}};
}

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 16);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_multiple(options, 1, "double_binary_tree all_reduce");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const auto loads = halves(spec, options);
  tell_up(loads, 2, Buffer::output, sink);
  tell_down(loads, 2, Buffer::output, sink);
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

/// With k chunks of S/k, k/2 a tree: 2 ceil(lg N) (alpha + S/(k B)) + (k/2 - 1) S/(k B); but some
/// wires between two leaves of different trees carry both halves, and take alpha + S/B.
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  if (spec.ranks == 1) return {};
  const Duration chunk = wire_time(part(size, options.chunks), link.bandwidth);
  Duration time = link.latency + options.chunks * chunk;
  for (const TreeLoad& load : halves(spec, options)) {
    const std::int64_t hops = 2 * load.tree.height();
    if (load.chunks > 0)
      time =
          std::max(time, hops * (link.latency + chunk) + (load.chunks - std::int64_t{1}) * chunk);
  }
  return time;
}

}  // namespace

Algorithm all_reduce_double_binary_tree() {
  return {.name = "double_binary_tree",
          .collective = CollectiveKind::all_reduce,
          .summary =
              "half of the vector up and down each of two trees, a leaf of one inside the "
              "other",
          .paper = "Sanders, Speck & Traeff, Parallel Computing 35 (2009)",
          .chunking = Chunking::tuned,
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
