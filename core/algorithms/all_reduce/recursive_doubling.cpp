// Recursive doubling: in step k partners at distance 2^k exchange all they have and add. lg N
// latencies, the least possible, but the whole vector travels each time: for small ones. Thakur,
// Rabenseifner & Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19
// (2005).

#include "core/algorithms/cost.hpp"
#include "core/algorithms/fold.hpp"
#include "core/algorithms/options.hpp"

namespace ringside::algorithms {
namespace {

Options complete(const CollectiveSpec&, const Options& given) {
  return chunks_only(given, 1);
}

Result<void> supports(const CollectiveSpec&, const Options& options) {
  return needs_chunks(options, 1, "recursive_doubling all_reduce");
}

void tell(const CollectiveSpec& spec, const Options&, TransferSink& sink) {
  const Fold fold(spec.ranks);
  for (std::uint32_t v = 0; v < fold.extra(); ++v) {
    const auto even = fold.rank(v);
    sink.reduce(input(even + 1, 0), input(even, 0), output(even, 0));
  }
  if (fold.extra() > 0) sink.next_step();

  const auto sum = [&](std::uint32_t v, std::uint32_t step) {
    return step == 0 && !fold.is_folded(v) ? input(fold.rank(v), 0) : output(fold.rank(v), 0);
  };
  for (std::uint32_t k = 0; k < fold.dimensions(); ++k, sink.next_step())
    for (std::uint32_t v = 0; v < sink.heard(fold.survivors()); ++v) {
      const auto partner = v ^ 1u << k;
      sink.reduce(sum(v, k), sum(partner, k), output(fold.rank(partner), 0));
    }

  for (std::uint32_t v = 0; v < fold.extra(); ++v)
    sink.copy(output(fold.rank(v), 0), output(fold.rank(v) + 1, 0));
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0));
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return butterfly_orbit(spec, 1, options.chunks);
}

/// lg N (alpha + S/B) for a power of two. Else at most 2 (alpha + S/B) more: survivors that speak
/// for two start late, but find their partners' vectors there already, and need only wait until
/// their own is on its way before they add to it.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  const Fold fold(spec.ranks);
  const Duration sent = wire_time(size, link.bandwidth), there = message(size, link);
  std::vector<Duration> sum(fold.survivors());  // when survivor v has its sum so far
  for (std::uint32_t v = 0; v < fold.extra(); ++v) sum[v] = there;
  for (std::uint32_t k = 0; k < fold.dimensions(); ++k) {
    auto next = sum;
    for (std::uint32_t v = 0; v < fold.survivors(); ++v)
      next[v] = std::max(sum[v ^ 1u << k] + there, sum[v] + sent);
    sum = next;
  }
  Duration end;
  for (std::uint32_t v = 0; v < fold.survivors(); ++v)
    end = std::max(end, fold.is_folded(v) ? sum[v] + there : sum[v]);
  return end;
}

}  // namespace

Algorithm all_reduce_recursive_doubling() {
  return {.name = "recursive_doubling",
          .collective = CollectiveKind::all_reduce,
          .summary = "partners at distance 1, 2, 4, ... exchange all they have: fewest latencies",
          .paper = "Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005)",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
