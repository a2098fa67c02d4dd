// Dissemination barrier: in round k every rank signals the one 2^k to its right, handing on whom it
// has heard of. After ceil(lg N) rounds everyone has heard of everyone, some twice. Hensgen, Finkel
// & Manber, "Two algorithms for barrier synchronization", Int. J. of Parallel Programming 17
// (1988).

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 1);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_chunks(options, 1, "dissemination barrier");
}

void tell(const CollectiveSpec& spec, const Options&, TransferSink& sink) {
  const auto n = spec.ranks;
  for (std::uint32_t k = 0; k < doublings(n); ++k, sink.next_step())
    for (std::uint32_t r = 0; r < sink.heard(n); ++r) {
      const auto to = (r + (1u << k)) % n;
      sink.reduce(k == 0 ? input(r, 0) : output(r, 0), k == 0 ? input(to, 0) : output(to, 0),
                  output(to, 0));
    }
  if (n == 1) sink.copy(input(0, 0), output(0, 0));
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return {.ranks = 1, .groups = spec.ranks, .width = options.chunks};
}

/// ceil(lg N) (alpha + S/B); a signal has few bytes or none.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return doublings(spec.ranks) * message(size, link);
}

}  // namespace

Algorithm barrier_dissemination() {
  return {.name = "dissemination",
          .collective = CollectiveKind::barrier,
          .summary = "everyone signals who is 1, 2, 4, ... to the right, until all heard of all",
          .paper = "Hensgen, Finkel & Manber, Int. J. of Parallel Programming 17 (1988)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
