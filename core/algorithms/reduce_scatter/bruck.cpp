// Bruck's all-gather backwards: rank r lists its parts of blocks r, r+1, r+2, ... and hands the far
// end of the list to the ranks that own those blocks or live nearer to who does; each adds what it
// gets to the front of its own list. ceil(lg N) rounds for any N. Bruck, Ho, Kipnis, Upfal &
// Weathersby, IEEE TPDS 8 (1997).

#include <algorithm>

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

/// Calls round(distance, blocks sent), the farthest first.
template <typename Round>
void for_each_round(std::uint32_t n, Round round) {
  for (auto k = doublings(n); k-- > 0;) round(1u << k, std::min(1u << k, n - (1u << k)));
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const auto n = spec.ranks;
  if (n == 1) return sink.copy(input(0, 0), output(0, 0), options.chunks);
  for (std::uint32_t r = 0; r < n; ++r)
    for_each_piece(n, r, n, [&](std::uint32_t place, std::uint32_t block, std::uint32_t length) {
      sink.copy(blocks.input(r, block), blocks.scratch(r, place), blocks.chunks(length));
    });
  for_each_round(n, [&](std::uint32_t distance, std::uint32_t length) {
    sink.next_step();
    for (std::uint32_t r = 0; r < n; ++r) {
      const auto to = (r + distance) % n;
      sink.reduce(blocks.scratch(r, distance), blocks.scratch(to, 0),
                  distance == 1 ? blocks.output(to, to) : blocks.scratch(to, 0),
                  blocks.chunks(length));
    }
  });
}

/// ceil(lg N) alpha + (N-1)/N S/B, or less: a round waits only for earlier ones that touched what
/// it sends.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  struct Round {
    std::uint32_t length;
    Duration commit;
  };
  std::vector<Round> earlier;
  Duration last{};
  for_each_round(spec.ranks, [&](std::uint32_t distance, std::uint32_t length) {
    Duration begin{};
    for (const Round& round : earlier)
      if (round.length > distance) begin = std::max(begin, round.commit);
    // All rounds add to the front of the list: in told order.
    last = std::max(last, begin + message(length * part(size, spec.ranks), link));
    earlier.push_back({length, last});
  });
  return last;
}

}  // namespace

Algorithm reduce_scatter_bruck() {
  return {.name = "bruck",
          .collective = CollectiveKind::reduce_scatter,
          .summary = "Bruck's all-gather backwards: lists of parts that halve each round",
          .paper = "Bruck, Ho, Kipnis, Upfal & Weathersby, IEEE TPDS 8 (1997)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
