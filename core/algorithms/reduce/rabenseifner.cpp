// Reduce-scatter by recursive halving, then gather up a binomial tree: twice the bytes of the
// vector, but each step halves them, where a binomial reduce sends all lg N times: for large
// vectors. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.
//
// Ranks count from the root. Where N is no power of two, the last ones hand their vectors to the
// first ones and are done.

#include <bit>

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec& spec, const Options& given) {
  return chunks_only(given, std::bit_floor(spec.ranks));
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  return needs_multiple(options, std::bit_floor(spec.ranks), "rabenseifner reduce");
}

/// Positions 0..q-1 do the work, position q + i hands its vector to position i.
class Story {
 public:
  Story(const CollectiveSpec& spec, const Options& options, TransferSink& sink)
      : rank_(spec.ranks, spec.root.value),
        q_(std::bit_floor(spec.ranks)),
        extra_(spec.ranks - q_),
        width_(options.chunks / q_),
        sink_(sink) {}

  void fold() {
    for (std::uint32_t v = 0; v < extra_; ++v)
      sink_.reduce(input(rank_.at(q_ + v), 0), input(rank_.at(v), 0), sum(v, 0), q_ * width_);
    if (extra_ > 0) sink_.next_step();
  }

  /// Partners at distance q/2, q/4, ..., 1 keep the half, quarter, ... that holds their own piece.
  void halve() {
    for (auto distance = q_ / 2; distance > 0; distance /= 2, sink_.next_step())
      for (std::uint32_t v = 0; v < q_; ++v) {
        const auto to = v ^ distance, piece = to / distance * distance;
        sink_.reduce(part_of(v, distance, piece), part_of(to, distance, piece), sum(to, piece),
                     distance * width_);
      }
  }

  void gather() {
    const BinomialTree tree(q_);
    for (std::uint32_t k = 0; k < tree.rounds(); ++k, sink_.next_step())
      tree.for_each_edge(k, [&](std::uint32_t parent, std::uint32_t child) {
        sink_.copy(sum(child, child), sum(parent, child), tree.size(child) * width_);
      });
  }

 private:
  Slot sum(std::uint32_t v, std::uint32_t piece) const {
    return v == 0 ? output(rank_.at(v), piece * width_) : scratch(rank_.at(v), piece * width_);
  }
  Slot part_of(std::uint32_t v, std::uint32_t distance, std::uint32_t piece) const {
    return distance == q_ / 2 && v >= extra_ ? input(rank_.at(v), piece * width_) : sum(v, piece);
  }

  FromRoot rank_;
  std::uint32_t q_, extra_, width_;
  TransferSink& sink_;
};

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  Story story(spec, options, sink);
  story.fold();
  story.halve();
  story.gather();
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

/// 2 lg q alpha + 2 (q-1)/q S/B for the q = 2^floor(lg N) that work, and alpha + S/B for the fold
/// if any.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  const auto q = std::bit_floor(spec.ranks);
  Duration time = spec.ranks > q ? message(size, link) : Duration{};
  for (auto parts = q; parts > 1; parts /= 2) time += 2 * message(part(size, parts), link);
  return time;
}

}  // namespace

Algorithm reduce_rabenseifner() {
  return {.name = "rabenseifner",
          .collective = CollectiveKind::reduce,
          .summary = "partners halve what they add up, then the pieces are gathered at the root",
          .paper = "Rabenseifner, ICCS 2004",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
