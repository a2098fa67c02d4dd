// Halving-doubling: reduce-scatter by exchanging halves, then quarters, ... with partners at
// distance 1, 2, 4, ..., and all-gather the same way back. lg N latencies each way, and no more
// bytes than a ring. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.
//
// The nearest partners exchange the largest halves, because near is where wires are fast.

#include "core/algorithms/cost.hpp"
#include "core/algorithms/fold.hpp"
#include "core/algorithms/options.hpp"

namespace ringside::algorithms {
namespace {

/// Chunks [first, first + length).
struct Range {
  std::uint32_t first, length;
};

/// What survivor v is left with after k halvings: bit j of v chose the half in step j.
Range kept(std::uint32_t v, std::uint32_t k, std::uint32_t chunks) {
  Range range{0, chunks};
  for (std::uint32_t j = 0; j < k; ++j) {
    range.length /= 2;
    if (v >> j & 1) range.first += range.length;
  }
  return range;
}

Options complete(const CollectiveSpec& spec, const Options& given) {
  return chunks_only(given, Fold(spec.ranks).survivors());
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  return needs_chunks(options, Fold(spec.ranks).survivors(), "halving_doubling all_reduce");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Fold fold(spec.ranks);
  const auto chunks = options.chunks;
  for (std::uint32_t v = 0; v < fold.extra(); ++v) {
    const auto even = fold.rank(v);
    sink.reduce(input(even + 1, 0), input(even, 0), output(even, 0), chunks);
  }
  if (fold.extra() > 0) sink.next_step();

  const auto sum = [&](std::uint32_t v, std::uint32_t step, std::uint32_t chunk) {
    return step == 0 && !fold.is_folded(v) ? input(fold.rank(v), chunk)
                                           : output(fold.rank(v), chunk);
  };
  for (std::uint32_t k = 0; k < fold.dimensions(); ++k, sink.next_step())
    for (std::uint32_t v = 0; v < sink.heard(fold.survivors()); ++v) {
      const auto partner = v ^ 1u << k;
      const auto [first, length] = kept(partner, k + 1, chunks);
      sink.reduce(sum(v, k, first), sum(partner, k, first), output(fold.rank(partner), first),
                  length);
    }
  for (std::uint32_t k = fold.dimensions(); k-- > 0; sink.next_step())
    for (std::uint32_t v = 0; v < sink.heard(fold.survivors()); ++v) {
      const auto [first, length] = kept(v, k + 1, chunks);
      sink.copy(output(fold.rank(v), first), output(fold.rank(v ^ 1u << k), first), length);
    }

  for (std::uint32_t v = 0; v < fold.extra(); ++v)
    sink.copy(output(fold.rank(v), 0), output(fold.rank(v) + 1, 0), chunks);
  if (spec.ranks == 1) sink.copy(input(0, 0), output(0, 0));
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  Orbit orbit = butterfly_orbit(spec, spec.ranks, options.chunks);
  orbit.bits_reversed = true;
  return orbit;
}

/// 2 lg q alpha + 2 (q-1)/q S/B for the q survivors, and 2 (alpha + S/B) for the fold if any.
/// On a star, too, where N is a power of two.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  const Fold fold(spec.ranks);
  Duration time = fold.extra() > 0 ? 2 * message(size, link) : Duration{};
  for (std::uint32_t k = 0; k < fold.dimensions(); ++k)
    time += 2 * message(part(size, 2ull << k), link);
  return time;
}

}  // namespace

Algorithm all_reduce_halving_doubling() {
  return {.name = "halving_doubling",
          .collective = CollectiveKind::all_reduce,
          .summary =
              "partners exchange halves, then quarters, ..., and back: few latencies, few "
              "bytes",
          .paper = "Rabenseifner, ICCS 2004",
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
