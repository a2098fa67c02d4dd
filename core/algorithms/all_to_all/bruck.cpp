// Bruck all-to-all: ceil(lg N) messages a rank instead of N - 1, for which blocks travel in hops of
// 1, 2, 4, ... and are sent about (lg N)/2 times each: for small blocks. Rank r lists its blocks by
// how far to the right they go; in round k all whose distance has bit k set move 2^k to the right.
// Bruck, Ho, Kipnis, Upfal & Weathersby, IEEE TPDS 8 (1997).
//
// What moves is no consecutive part of the list: it is packed into one message, and put back where
// it was in the list of the receiver.

#include <algorithm>

#include "core/algorithms/blocks.hpp"
#include "core/algorithms/cost.hpp"
#include "core/algorithms/trees.hpp"

namespace ringside::algorithms {
namespace {

/// Calls run(place in the list, place in the message, length) for what moves in a round of
/// `distance`; returns how many blocks that are.
template <typename Run>
std::uint32_t for_each_run(std::uint32_t n, std::uint32_t distance, Run run) {
  std::uint32_t packed = 0;
  for (auto place = distance; place < n; place += 2 * distance) {
    const auto length = std::min(distance, n - place);
    run(place, packed, length);
    packed += length;
  }
  return packed;
}

/// Scratch of a rank: its list, what it sends, what it receives.
struct Places {
  std::uint32_t n;
  std::uint32_t sent(std::uint32_t place) const { return n + place; }
  std::uint32_t received(std::uint32_t place) const { return n + n / 2 + place; }
};

void tell_round(const Blocks& blocks, std::uint32_t n, std::uint32_t distance, TransferSink& sink) {
  const Places at{n};
  std::uint32_t length = 0;
  for (std::uint32_t r = 0; r < n; ++r)
    length = for_each_run(n, distance, [&](auto place, auto packed, auto run) {
      sink.copy(blocks.scratch(r, place), blocks.scratch(r, at.sent(packed)), blocks.chunks(run));
    });
  sink.next_step();
  for (std::uint32_t r = 0; r < n; ++r)
    sink.copy(blocks.scratch(r, at.sent(0)), blocks.scratch((r + distance) % n, at.received(0)),
              blocks.chunks(length));
  sink.next_step();
  for (std::uint32_t r = 0; r < n; ++r)
    for_each_run(n, distance, [&](auto place, auto packed, auto run) {
      sink.copy(blocks.scratch(r, at.received(packed)), blocks.scratch(r, place),
                blocks.chunks(run));
    });
  sink.next_step();
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const Blocks blocks(spec, options);
  const auto n = spec.ranks;
  for (std::uint32_t r = 0; r < n; ++r)
    for_each_piece(n, r, n, [&](std::uint32_t place, std::uint32_t block, std::uint32_t length) {
      sink.copy(blocks.input(r, block), blocks.scratch(r, place), blocks.chunks(length));
    });
  sink.next_step();
  for (std::uint32_t k = 0; k < doublings(n); ++k) tell_round(blocks, n, 1u << k, sink);
  // What went i to the right came from i to the left.
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t i = 0; i < n; ++i)
      sink.copy(blocks.scratch(r, i), blocks.output(r, std::int64_t{r} - i), blocks.chunks());
}

/// lg N (alpha + S/(2 B)) for powers of two. A round waits for the last one that moved any of its
/// blocks, and for its places in scratch.
Duration predict(const CollectiveSpec& spec, const Options&, Bytes size, const LinkCost& link) {
  const auto n = spec.ranks;
  std::vector<Duration> done;  // of each round
  Duration sent{};             // when the message of the round before had left
  for (std::uint32_t k = 0; k < doublings(n); ++k) {
    const auto distance = 1u << k;
    const Bytes packed = for_each_run(n, distance, [](auto...) {}) * part(size, n);
    auto last = k;  // rounds up to here moved blocks that also go 2^k
    while (last > 0 && distance + (distance >> (k - last + 1)) >= n) --last;
    const auto begin = std::max(sent, last == 0 ? Duration{} : done[last - 1]);
    sent = begin + wire_time(packed, link.bandwidth);
    done.push_back(std::max(sent + link.latency, k == 0 ? Duration{} : done[k - 1]));
  }
  return done.empty() ? Duration{} : done.back();
}

}  // namespace

Algorithm all_to_all_bruck() {
  return {.name = "bruck",
          .collective = CollectiveKind::all_to_all,
          .summary = "few messages: blocks travel in hops of 1, 2, 4, ... packed together",
          .paper = "Bruck, Ho, Kipnis, Upfal & Weathersby, IEEE TPDS 8 (1997)",
          .complete = complete_blocks,
          .supports = supports_blocks,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh};
}

}  // namespace ringside::algorithms
