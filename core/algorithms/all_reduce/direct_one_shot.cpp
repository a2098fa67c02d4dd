// Every rank sends its whole vector to every other at once, and each adds up all N: one latency in
// all, for vectors so small that nothing else counts. (NVIDIA TensorRT-LLM and vLLM call it
// one-shot.)
//
// At distance d all ranks send to different ones, so that no port of a switch is asked for twice at
// once. Vectors arrive in another order on each rank, but every rank keeps them until it can add in
// the order of ranks, its own in its turn: all results are equal to the last bit.

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 1);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_chunks(options, 1, "direct_one_shot all_reduce");
}

void tell(const CollectiveSpec& spec, const Options&, TransferSink& sink) {
  const auto n = spec.ranks;
  for (std::uint32_t d = 1; d < n; ++d)
    for (std::uint32_t r = 0; r < n; ++r) sink.copy(input(r, 0), scratch((r + d) % n, r));
  sink.next_step();
  // In place the sum may only grow in the output once the rank's own vector, which lies there, is
  // in it: until then it grows where rank 0's vector arrived.
  for (std::uint32_t r = 1; r < n; ++r)
    for (std::uint32_t from = 1; from < r; ++from) sink.reduce(scratch(r, from), scratch(r, 0));
  sink.next_step();
  sink.copy(input(0, 0), output(0, 0));
  for (std::uint32_t r = 1; r < n; ++r) sink.reduce(input(r, 0), scratch(r, 0), output(r, 0));
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t from = r + 1; from < n; ++from) sink.reduce(scratch(r, from), output(r, 0));
}

/// alpha + S/B.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  return spec.ranks == 1 ? Duration{} : message(size, link);
}

}  // namespace

Algorithm all_reduce_direct_one_shot() {
  return {.name = "direct_one_shot",
          .collective = CollectiveKind::all_reduce,
          .summary = "everyone sends everything to everyone and adds: one latency, N-1 vectors",
          .paper = "the one-shot kernel of inference engines (TensorRT-LLM, vLLM)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
