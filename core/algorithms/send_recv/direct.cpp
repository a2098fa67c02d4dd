// Every rank sends its vector to its right neighbour, and receives the left one's: the measure of a
// ring's wires, as sendrecv_perf of nccl-tests.

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 1);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_multiple(options, 1, "direct send_recv");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  for (std::uint32_t r = 0; r < sink.heard(spec.ranks); ++r)
    sink.copy(input(r, 0), output((r + 1) % spec.ranks, 0), options.chunks);
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return {.ranks = 1, .groups = spec.ranks, .width = options.chunks};
}

/// alpha + S/B.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return spec.ranks == 1 ? Duration{} : message(size, link);
}

}  // namespace

Algorithm send_recv_direct() {
  return {.name = "direct",
          .collective = CollectiveKind::send_recv,
          .summary = "every rank sends its vector to its right neighbour",
          .paper = "as sendrecv_perf of nccl-tests",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::ring,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
