// PAT reduce-scatter (parallel aggregated trees): PAT's all-gather backwards. The near ranks come
// first and take the long messages; what is left for the far ones is short. ceil(lg N) rounds for
// any N. Jeaugey, arXiv 2506.20252 (2025).

#include <algorithm>

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"
#include "core/algorithms/pat.hpp"

namespace ringside::algorithms {
namespace {

/// All-gather's rounds, last first.
std::vector<PatRound> backwards(const Pat& story) {
  return {story.rounds.rbegin(), story.rounds.rend()};
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const auto n = spec.ranks;
  const Pat story = pat(n);
  if (n == 1) return sink.copy(input(0, 0), output(0, 0), options.chunks);
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t place = 0; place < n; ++place)
      sink.copy(blocks.input(r, r + story.offsets[place]), blocks.scratch(r, place),
                blocks.chunks());
  for (const auto& [distance, count, moves_last] : backwards(story)) {
    sink.next_step();
    const bool last = 2 * distance >= n;
    for (std::uint32_t r = 0; r < n; ++r) {
      const auto to = (r + distance) % n;
      sink.reduce(blocks.scratch(r, count), blocks.scratch(to, 0),
                  last ? blocks.output(to, to) : blocks.scratch(to, 0), blocks.chunks(count));
      if (moves_last)
        sink.copy(blocks.scratch(r, 2 * count), blocks.scratch(r, count), blocks.chunks());
    }
  }
}

/// ceil(lg N) alpha + (N-1)/N S/B, or less: a round waits only for earlier ones that touched what
/// it sends. Follows when each place of the list has its sum.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  std::vector<Duration> summed(spec.ranks);
  const auto latest = [&](std::uint32_t begin, std::uint32_t end) {
    return *std::max_element(summed.begin() + begin, summed.begin() + end);
  };
  for (const auto& [distance, count, moves_last] : backwards(pat(spec.ranks))) {
    const auto begin = latest(count, 2 * count);
    const Bytes sent = count * part(size, spec.ranks);
    const auto sum = std::max(begin + message(sent, link), latest(0, count));
    // The last block moves back to where the message has just left.
    if (moves_last)
      summed[count] = std::max(summed[2 * count], begin + wire_time(sent, link.bandwidth));
    std::fill_n(summed.begin(), count, sum);
  }
  return summed[0];
}

}  // namespace

Algorithm reduce_scatter_pat() {
  return {.name = "pat",
          .collective = CollectiveKind::reduce_scatter,
          .summary = "PAT's all-gather backwards: near ranks take the long messages first",
          .paper = "Jeaugey, arXiv 2506.20252 (2025)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
