// PAT all-gather (parallel aggregated trees): Bruck's idea with the far ranks first, when there is
// little to send, and the near ones last, when there is much; so long distances, where networks are
// thin and messages meet, carry short messages. ceil(lg N) rounds for any N. Jeaugey, "PAT: a new
// algorithm for all-gather and reduce-scatter operations at scale", arXiv 2506.20252 (2025).

#include <algorithm>

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"
#include "core/algorithms/pat.hpp"

namespace ringside::algorithms {
namespace {

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const auto n = spec.ranks;
  const Pat story = pat(n);
  for (std::uint32_t r = 0; r < n; ++r)
    sink.copy(blocks.input(r, r), blocks.scratch(r, 0), blocks.chunks());
  sink.next_step();
  for (const auto& [distance, count, moves_last] : story.rounds) {
    for (std::uint32_t r = 0; r < n; ++r) {
      if (moves_last)
        sink.copy(blocks.scratch(r, count), blocks.scratch(r, 2 * count), blocks.chunks());
      sink.copy(blocks.scratch(r, 0), blocks.scratch((r + n - distance) % n, count),
                blocks.chunks(count));
    }
    sink.next_step();
  }
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t place = 0; place < n; ++place)
      sink.copy(blocks.scratch(r, place), blocks.output(r, r + story.offsets[place]),
                blocks.chunks());
}

/// ceil(lg N) alpha + (N-1)/N S/B, or less: what a round sends may be there since an earlier one.
/// Follows when each place of the list is filled.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  std::vector<Duration> filled{Duration{}};
  for (const auto& [distance, count, moves_last] : pat(spec.ranks).rounds) {
    const auto last = filled.back();
    filled.resize(count);
    const auto begin = *std::max_element(filled.begin(), filled.end());
    auto arrival = begin + message(count * part(size, spec.ranks), link);
    if (moves_last) arrival = std::max(arrival, last);  // it lands where the last one was
    filled.resize(2 * count, arrival);
    if (moves_last) filled.push_back(last);
  }
  return *std::max_element(filled.begin(), filled.end());
}

}  // namespace

Algorithm all_gather_pat() {
  return {.name = "pat",
          .collective = CollectiveKind::all_gather,
          .summary = "Bruck with the far ranks first: long distances carry short messages",
          .paper = "Jeaugey, arXiv 2506.20252 (2025)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
