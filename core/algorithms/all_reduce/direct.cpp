// Two shots: everyone sends block b to rank b, which adds it up (reduce-scatter), then sends the
// sum to everyone (all-gather). Two latencies, and 2(N-1)/N of the vector over each rank's wires,
// the least possible: the best there is where every pair has a wire of its own.

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec& spec, const Options& given) {
  return chunks_only(given, spec.ranks);
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  return needs_chunks(options, spec.ranks, "direct all_reduce");
}

void tell(const CollectiveSpec& spec, const Options&, TransferSink& sink) {
  const auto n = spec.ranks;
  // At distance d all ranks send to different ones: no port of a switch is asked for twice at once.
  for (std::uint32_t d = 1; d < n; ++d)
    for (std::uint32_t r = 0; r < sink.heard(n); ++r) {
      const auto owner = (r + d) % n;
      sink.reduce(input(r, owner), d == 1 ? input(owner, owner) : output(owner, owner),
                  output(owner, owner));
    }
  sink.next_step();
  for (std::uint32_t d = 1; d < n; ++d)
    for (std::uint32_t r = 0; r < sink.heard(n); ++r)
      sink.copy(output(r, r), output((r + d) % n, r));
  if (n == 1) sink.copy(input(0, 0), output(0, 0));
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return block_orbit(spec, options);
}

/// 2 (alpha + S/(N B)).
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return spec.ranks == 1 ? Duration{} : 2 * message(part(size, spec.ranks), link);
}

}  // namespace

Algorithm all_reduce_direct() {
  return {.name = "direct",
          .collective = CollectiveKind::all_reduce,
          .summary = "each rank adds up one block from everyone, then sends it to everyone",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005), pairwise exchange twice",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
