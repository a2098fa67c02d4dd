// Everyone sends all of it to one rank, which adds and sends all of it back: the obvious way, a
// parameter server. Right at any size, and N-1 vectors squeeze through one wire, twice.

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 1);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_chunks(options, 1, "star all_reduce");
}

void tell(const CollectiveSpec& spec, const Options&, TransferSink& sink) {
  for (std::uint32_t r = 1; r < spec.ranks; ++r)
    sink.reduce(input(r, 0), r == 1 ? input(0, 0) : output(0, 0), output(0, 0));
  sink.next_step();
  for (std::uint32_t r = 1; r < spec.ranks; ++r) sink.copy(output(0, 0), output(r, 0));
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0));
}

/// 2 (alpha + (N-1) S/B): the root's wire carries one vector after the other, latencies overlap.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return 2 * through_one_wire(std::int64_t{spec.ranks} - 1, size, link);
}

}  // namespace

Algorithm all_reduce_star() {
  return {.name = "star",
          .collective = CollectiveKind::all_reduce,
          .summary = "one rank collects every vector, adds them up and sends the sum to everyone",
          .paper = "the naive way: a linear reduce, then a linear broadcast",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::star};
}

}  // namespace ringside::algorithms
