// Every rank sends its whole vector to every other at once, and each adds up all N: one latency in
// all, for vectors so small that nothing else counts. (NVIDIA TensorRT-LLM and vLLM call it
// one-shot.)
//
// Every rank adds in the order of ranks, its own part in its turn, so that all results are equal to
// the last bit. In place the own part must step aside first, because the sum grows where it lies.

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
  const auto own = [&](std::uint32_t rank) {
    return spec.in_place ? scratch(rank, 0) : input(rank, 0);
  };
  if (spec.in_place) {
    for (std::uint32_t r = 0; r < spec.ranks; ++r) sink.copy(input(r, 0), own(r));
    sink.next_step();
  }
  for (std::uint32_t to = 0; to < spec.ranks; ++to) {
    sink.copy(own(0), output(to, 0));
    for (std::uint32_t from = 1; from < spec.ranks; ++from) sink.reduce(own(from), output(to, 0));
  }
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
          .reference_shape = Shape::full_mesh,
          .symmetry = Symmetry::rotation};
}

}  // namespace ringside::algorithms
