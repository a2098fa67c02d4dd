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

/// Who knows what after the scatter, and who needs what on the ring.
class Pieces {
 public:
  explicit Pieces(std::uint32_t ranks) : tree_(ranks), ranks_(ranks) {}
  /// Whether position v got this piece in the scatter.
  bool scattered(std::uint32_t v, std::uint32_t piece) const {
    return piece >= v && piece < v + tree_.size(v);
  }
  /// Piece that position v passes on in step s of the ring.
  std::uint32_t sent(std::uint32_t v, std::uint32_t s) const { return (v + ranks_ - s) % ranks_; }
  std::uint32_t next(std::uint32_t v) const { return v + 1 == ranks_ ? 0 : v + 1; }

 private:
  BinomialTree tree_;
  std::uint32_t ranks_;
};

Options complete(const CollectiveSpec& spec, const Options& given) {
  return chunks_only(given, spec.ranks);
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  return needs_multiple(options, spec.ranks, "scatter_allgather broadcast");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const auto n = spec.ranks, width = options.chunks / n;
  const BinomialTree tree(n);
  const Pieces pieces(n);
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
    for (std::uint32_t v = 0; v < n; ++v) {
      const auto piece = pieces.sent(v, s), to = pieces.next(v);
      if (!pieces.scattered(to, piece)) sink.copy(at(v, piece), at(to, piece), width);
    }
}

/// About (ceil(lg N) + N-1) alpha + 2 (N-1)/N S/B. Exactly: when each piece reaches each position,
/// step by step round the ring.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  const auto n = spec.ranks;
  const BinomialTree tree(n);
  const Pieces pieces(n);
  const Bytes piece = part(size, n);
  std::vector<Duration> scattered(n), wire_free(n), ready(n);
  for (auto k = tree.rounds(); k-- > 0;)
    tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
      const Bytes sent = tree.size(child) * piece;
      scattered[child] = scattered[parent] + message(sent, link);
      if (child == parent + 1)  // the ring needs this wire next
        wire_free[parent] = scattered[parent] + wire_time(sent, link.bandwidth);
    });
  ready = scattered;  // of the piece that each position passes on
  Duration end = *std::max_element(scattered.begin(), scattered.end());
  for (std::uint32_t s = 0; s + 1 < n; ++s) {
    std::vector<Duration> arrival(n);
    for (std::uint32_t v = 0; v < n; ++v) {
      const auto to = pieces.next(v);
      if (pieces.scattered(to, pieces.sent(v, s))) {
        arrival[to] = scattered[to];
        continue;
      }
      wire_free[v] = std::max(ready[v], wire_free[v]) + wire_time(piece, link.bandwidth);
      arrival[to] = wire_free[v] + link.latency;
    }
    ready = arrival;
    end = std::max(end, *std::max_element(arrival.begin(), arrival.end()));
  }
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
