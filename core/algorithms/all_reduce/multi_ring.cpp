// Several rings side by side, one a channel, each with its share of the vector: as NCCL does on
// machines whose GPUs have more wires than one ring can fill.
//
// Options::rank_order says which rings. Without it, ring j strides through each node by the j-th
// number that has no factor in common with the node's size: such rings share no wire of a full
// mesh. Each enters a node at another rank, so that the rings share the node's NICs out, too.

#include <numeric>

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/algorithms/ring.hpp"
#include "core/algorithms/ring_walk.hpp"
#include "core/suggest.hpp"

namespace ringside::algorithms {
namespace {

constexpr std::uint32_t default_channels = 4;

/// The first `most` strides whose rings through `ranks` ranks share no wire.
std::vector<std::uint32_t> strides(std::uint32_t ranks, std::uint32_t most) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t g = 1; found.empty() || (g < ranks && found.size() < most); ++g)
    if (std::gcd(g, ranks) == 1) found.push_back(g);
  return found;
}

/// Nodes in order; inside one, from local rank `entry` on by `stride`.
std::vector<Rank> strided(std::uint32_t ranks, std::uint32_t per_node, std::uint32_t entry,
                          std::uint32_t stride) {
  std::vector<Rank> order;
  for (std::uint32_t node = 0; node < ranks; node += per_node)
    for (std::uint64_t i = 0; i < per_node; ++i)
      order.push_back({node + static_cast<std::uint32_t>((entry + i * stride) % per_node)});
  return order;
}

Options complete(const CollectiveSpec& spec, const Options& given) {
  Options options;
  options.ranks_per_node = given.ranks_per_node;
  options.rank_order = given.rank_order;
  options.channels = given.channels;
  const bool nodes = given.ranks_per_node > 0 && spec.ranks % given.ranks_per_node == 0;
  const auto per_node = nodes ? given.ranks_per_node : spec.ranks;
  if (given.rank_order.empty()) {
    const auto wanted = given.channels == 0 ? default_channels : given.channels;
    const auto found = strides(per_node, wanted);
    if (given.channels == 0) options.channels = static_cast<std::uint32_t>(found.size());
    if (options.channels <= Transfer::max_channels)
      for (std::uint32_t j = 0; j < options.channels; ++j)
        options.rank_order.push_back(
            strided(spec.ranks, per_node, nodes ? j % per_node : 0, found[j % found.size()]));
  } else if (given.channels == 0) {
    options.channels = static_cast<std::uint32_t>(given.rank_order.size());
  }
  options.chunks = given.chunks == 0 ? spec.ranks * options.channels : given.chunks;
  return options;
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  if (options.channels > Transfer::max_channels)
    return bad_request("multi_ring all_reduce runs at most " +
                       std::to_string(Transfer::max_channels) + " channels, not " +
                       std::to_string(options.channels));
  if (options.ranks_per_node > 0 && spec.ranks % options.ranks_per_node != 0)
    return bad_request("multi_ring all_reduce needs nodes of equal size: " +
                       counted(options.ranks_per_node, "rank") + " a node do not divide " +
                       std::to_string(spec.ranks));
  return needs_multiple(options, spec.ranks * options.channels, "multi_ring all_reduce");
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const std::int64_t n = spec.ranks;
  const auto share = options.chunks / options.channels;
  const auto every_ring = [&](auto step) {
    for (std::uint32_t j = 0; j < options.channels; ++j)
      step(Ring(spec, options, j),
           RingLoad{.first = j * share, .messages = share / spec.ranks, .channel = j});
  };

  for (std::int64_t s = 0; s < n - 1; ++s, sink.next_step())
    every_ring([&](const Ring& ring, const RingLoad& load) {
      reduce_scatter_step(ring, {n, s}, load, Buffer::input, sink);
    });
  for (std::int64_t s = 0; s < n - 1; ++s, sink.next_step())
    every_ring([&](const Ring& ring, const RingLoad& load) {
      all_gather_step(ring, {n, s}, load, sink);
    });
  if (n == 1) sink.copy(input(0, 0), output(0, 0), options.chunks);
}

Orbit symmetry(const CollectiveSpec& spec, const Options& options) {
  return ring_orbit(spec, options, options.channels);
}

/// 2(N-1) (alpha + S/(N C B)) on C channels, where no two rings share a wire.
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  return ring_steps(2 * (std::int64_t{spec.ranks} - 1),
                    options.chunks / (spec.ranks * options.channels), part(size, options.chunks),
                    link);
}

}  // namespace

Algorithm all_reduce_multi_ring() {
  return {.name = "multi_ring",
          .collective = CollectiveKind::all_reduce,
          .summary = "one ring a channel, each with its share of the vector, as NCCL's rings",
          .paper = "Patarasuk & Yuan, JPDC 69 (2009), on several rings as NCCL builds them",
          .chunking = Chunking::multiples,
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::full_mesh,
          .symmetry = symmetry};
}

}  // namespace ringside::algorithms
