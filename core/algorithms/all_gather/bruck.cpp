// Bruck all-gather, for any N in ceil(lg N) rounds: rank r lists blocks r, r+1, r+2, ... and in
// round k sends the first 2^k of its list to rank r - 2^k, which appends them to its own. In the
// end the lists are turned so that block 0 comes first. Bruck, Ho, Kipnis, Upfal & Weathersby,
// "Efficient algorithms for all-to-all communications in multiport message-passing systems", IEEE
// TPDS 8 (1997).

#include <algorithm>
#include <bit>

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const auto n = spec.ranks;
  for (std::uint32_t r = 0; r < n; ++r)
    sink.copy(blocks.input(r, r), blocks.scratch(r, 0), blocks.chunks());
  sink.next_step();
  for (std::uint32_t distance = 1; distance < n; distance *= 2, sink.next_step())
    for (std::uint32_t r = 0; r < n; ++r)
      sink.copy(blocks.scratch(r, 0), blocks.scratch((r + n - distance) % n, distance),
                blocks.chunks(std::min(distance, n - distance)));
  for (std::uint32_t r = 0; r < n; ++r)
    for_each_piece(n, r, n, [&](std::uint32_t place, std::uint32_t block, std::uint32_t length) {
      sink.copy(blocks.scratch(r, place), blocks.output(r, block), blocks.chunks(length));
    });
}

/// ceil(lg N) alpha + (N-1)/N S/B, or less: what the last round sends may be there long before.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  const auto n = spec.ranks;
  std::vector<Duration> arrival;  // of each round
  Duration last{};
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    const auto length = std::min(distance, n - distance);
    // Places [2^j, 2^(j+1)) of the list came in round j.
    const auto newest = std::bit_width(length - 1);
    const auto begin = newest == 0 ? Duration{} : arrival[newest - 1];
    arrival.push_back(begin + message(length * part(size, n), link));
    last = std::max(last, arrival.back());
  }
  return last;
}

}  // namespace

Algorithm all_gather_bruck() {
  return {.name = "bruck",
          .collective = CollectiveKind::all_gather,
          .summary = "lists of blocks that double in length each round, for any number of ranks",
          .paper = "Bruck, Ho, Kipnis, Upfal & Weathersby, IEEE TPDS 8 (1997)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
