// SHARP: the switch adds what comes up from all ranks and sends the sum down to all of them. Each
// wire carries the vector once up, once down, both at the same time: half of what any algorithm
// without the switch's help needs. Graham et al., "Scalable Hierarchical Aggregation Protocol
// (SHArP)", COMHPC 2016.
//
// The agent, a rank in the switch that owns no data, works chunk by chunk: while it sends one down,
// the next comes up. Several agents take turns.

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/suggest.hpp"

namespace ringside::algorithms {
namespace {

constexpr std::uint32_t default_rounds = 8;

Options complete(const CollectiveSpec&, const Options& given) {
  const auto agents = std::max(given.agents, 1u);
  Options options = chunks_only(given, default_rounds * agents);
  options.agents = agents;
  return options;
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  if (std::uint64_t{spec.ranks} + options.agents > Transfer::max_ranks)
    return bad_request("sharp all_reduce has too many agents: at most " +
                       std::to_string(Transfer::max_ranks - spec.ranks) + " beside " +
                       counted(spec.ranks, "rank"));
  return {};
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const auto rounds = (options.chunks + options.agents - 1) / options.agents;
  const auto every_agent = [&](std::uint32_t round, auto work) {
    for (std::uint32_t a = 0; a < options.agents; ++a)
      if (const auto chunk = round * options.agents + a; chunk < options.chunks)
        work(scratch(spec.ranks + a, round), chunk);
  };
  for (std::uint32_t t = 0; t <= rounds; ++t, sink.next_step()) {
    if (t < rounds)
      every_agent(t, [&](Slot sum, std::uint32_t chunk) {
        sink.copy(input(0, chunk), sum);
        for (std::uint32_t r = 1; r < spec.ranks; ++r) sink.reduce(input(r, chunk), sum);
      });
    if (t > 0)
      every_agent(t - 1, [&](Slot sum, std::uint32_t chunk) {
        for (std::uint32_t r = 0; r < spec.ranks; ++r) sink.copy(sum, output(r, chunk));
      });
  }
}

/// alpha + (k+1) S/(k B) for k rounds.
Duration predict(const CollectiveSpec&, const Options& options, Bytes size, const LinkCost& link) {
  const std::int64_t rounds = (options.chunks + options.agents - 1) / options.agents;
  return link.latency + (rounds + 1) * wire_time(part(size, options.chunks), link.bandwidth);
}

}  // namespace

Algorithm all_reduce_sharp() {
  return {.name = "sharp",
          .collective = CollectiveKind::all_reduce,
          .summary = "the switch adds what all ranks send up and sends the sum down to all",
          .paper = "Graham et al., COMHPC 2016",
          .chunking = Chunking::tuned,
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::star,
          .in_switch = InSwitch::sharp};
}

}  // namespace ringside::algorithms
