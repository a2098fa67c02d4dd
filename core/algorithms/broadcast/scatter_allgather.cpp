// Scatter, then all-gather: the root spreads the vector down a binomial tree, one piece a rank, and
// the pieces go round a ring. Twice the bytes of the vector, but no rank's wire carries more than
// that, and N does not multiply them: for large vectors. Barnett, Shuler, van de Geijn, Gupta,
// Payne & Watts, "Interprocessor collective communication library (InterCom)", SHPCC 1994.
//
// Ranks count from the root. A piece that a rank keeps for others in the tree is not sent to it
// again.

#include <algorithm>

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec& spec, const Options& given) {
  return chunks_only(given, spec.ranks);
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  return needs_multiple(options, spec.ranks, "scatter_allgather broadcast");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const auto n = spec.ranks, width = options.chunks / n;
  const BinomialTree tree(n);
  const FromRoot rank(n, spec.root.value);
  const auto at = [&](std::uint32_t v, std::uint32_t piece) {
    return v == 0 ? input(rank.at(0), piece * width) : output(rank.at(v), piece * width);
  };
  sink.copy(input(rank.at(0), 0), output(rank.at(0), 0), options.chunks);
  for (auto k = tree.rounds(); k-- > 0; sink.next_step())
    tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
      sink.copy(at(parent, child), at(child, child), tree.size(child) * width);
    });
  for (std::uint32_t s = 0; s + 1 < n; ++s, sink.next_step())
    for (std::uint32_t v = 0; v + 1 < n; ++v) {  // nothing goes back to the root
      const auto to = v + 1, piece = (v + n - s) % n;
      const bool scattered = piece >= to && piece < to + tree.size(to);
      if (!scattered) sink.copy(at(v, piece), at(to, piece), width);
    }
}

/// About (ceil(lg N) + N-1) alpha + 2 (N-1)/N S/B. Exactly: piece 0 is the last to get round. It
/// follows the pieces of all ranks before, whose own trip begins, at position v, when the scatter
/// has reached v (and its message to v+1 has left); N-1 pieces over one wire and N-1-v latencies
/// later, piece 0 is there. The slowest v counts.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  const std::int64_t n = spec.ranks;
  const BinomialTree tree(spec.ranks);
  const Bytes piece = part(size, spec.ranks);
  std::vector<Duration> reached(spec.ranks);
  for (auto k = tree.rounds(); k-- > 0;)
    tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
      reached[child] = reached[parent] + message(tree.size(child) * piece, link);
    });
  const Duration wire = wire_time(piece, link.bandwidth);
  Duration end{};
  for (std::uint32_t v = 0; v + 1 < spec.ranks; ++v)
    end = std::max(end, reached[v] + (n - v % 2) * wire + (n - 1 - v) * link.latency);
  return end;
}

}  // namespace

Algorithm broadcast_scatter_allgather() {
  return {.name = "scatter_allgather",
          .collective = CollectiveKind::broadcast,
          .summary = "spread pieces down a tree, then pass them round a ring",
          .paper = "Barnett et al., InterCom, SHPCC 1994 (van de Geijn's broadcast)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
