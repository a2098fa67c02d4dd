// NVLS: NVSwitches add and multicast, but each rank steers its own shard. Rank r asks the switch
// for the sum of shard r over all ranks (multimem.ld_reduce), and hands it back for all to have
// (multimem.st). Each wire carries 1 + 1/N vectors a direction instead of a ring's 2(N-1)/N.
// Klenk, Jiang, Thorson & Dennison, "An in-network architecture for accelerating shared-memory
// multiprocessor collectives", ISCA 2020.
//
// The agent, a rank in the switch that owns no data, works in rounds of N chunks, one a shard; four
// rounds are under way at once: one comes up, one is delivered, one comes back, one is multicast.

#include "core/algorithms/cost.hpp"
#include "core/algorithms/options.hpp"
#include "core/suggest.hpp"

namespace ringside::algorithms {
namespace {

constexpr std::uint32_t default_rounds = 8;

Options complete(const CollectiveSpec& spec, const Options& given) {
  const auto agents = std::max(given.agents, 1u);
  // Too many agents stay a multiple of N, and are refused as too fine a cut.
  const auto rounds =
      std::min<std::uint64_t>(std::uint64_t{default_rounds} * agents, UINT32_MAX / spec.ranks);
  Options options = chunks_only(given, static_cast<std::uint32_t>(rounds) * spec.ranks);
  options.agents = agents;
  return options;
}

Result<void> supports(const CollectiveSpec& spec, const Options& options) {
  if (std::uint64_t{spec.ranks} + options.agents > Transfer::max_ranks)
    return bad_request("nvls all_reduce has too many agents: at most " +
                       std::to_string(Transfer::max_ranks - spec.ranks) + " beside " +
                       counted(spec.ranks, "rank"));
  return needs_multiple(options, spec.ranks, "nvls all_reduce");
}

/// N chunks and the agent that works on them.
struct Round {
  std::uint32_t ranks, first, agent, place;  ///< `place` of its sums, then of what comes back

  Slot sum(std::uint32_t shard) const { return scratch(agent, place + shard); }
  Slot back(std::uint32_t shard) const { return scratch(agent, place + ranks + shard); }

  void reduce(TransferSink& sink) const {
    sink.copy(input(0, first), sum(0), ranks);
    for (std::uint32_t r = 1; r < ranks; ++r) sink.reduce(input(r, first), sum(0), ranks);
  }
  void deliver(TransferSink& sink) const {
    for (std::uint32_t r = 0; r < ranks; ++r) sink.copy(sum(r), output(r, first + r));
  }
  void give_back(TransferSink& sink) const {
    for (std::uint32_t r = 0; r < ranks; ++r) sink.copy(output(r, first + r), back(r));
  }
  void multicast(TransferSink& sink) const {
    for (std::uint32_t r = 0; r < ranks; ++r) sink.copy(back(0), output(r, first), ranks);
  }
};

/// Turns in which all agents work on a round each.
std::uint32_t turns(const CollectiveSpec& spec, const Options& options) {
  return (options.chunks / spec.ranks + options.agents - 1) / options.agents;
}

void tell(const CollectiveSpec& spec, const Options& options, TransferSink& sink) {
  const auto n = spec.ranks, rounds = options.chunks / n, last = turns(spec, options);
  const auto every_agent = [&](std::uint32_t turn, auto work) {
    for (std::uint32_t a = 0; turn < last && a < options.agents; ++a)
      if (const auto round = turn * options.agents + a; round < rounds)
        work(Round{n, round * n, n + a, turn * 2 * n});
  };
  // A turn before the first wraps to one far after the last, and tells nothing.
  for (std::uint32_t t = 0; t < last + 3; ++t, sink.next_step()) {
    every_agent(t, [&](const Round& round) { round.reduce(sink); });
    every_agent(t - 1, [&](const Round& round) { round.deliver(sink); });
    every_agent(t - 2, [&](const Round& round) { round.give_back(sink); });
    every_agent(t - 3, [&](const Round& round) { round.multicast(sink); });
  }
}

/// Both directions of a wire are served in told order; each stage of a round waits for the one
/// before. One round alone: 2 alpha + 2 (1 + 1/N) S/B.
Duration predict(const CollectiveSpec& spec, const Options& options, Bytes size,
                 const LinkCost& link) {
  const std::int64_t rounds = turns(spec, options);
  const Duration hop{link.latency.picoseconds / 2};  // the switch is half way
  const Bytes chunk = part(size, options.chunks);
  const Duration shard = wire_time(chunk, link.bandwidth);
  const Duration vector = wire_time(spec.ranks * chunk, link.bandwidth);
  Duration up, down;  // when the wire is free again
  // When rounds t, t-1, t-2 have passed their latest stage.
  std::vector<Duration> reduced, delivered, back;
  const auto send = [hop](Duration& wire, Duration ready, Duration busy) {
    wire = std::max(wire, ready) + busy;
    return wire + hop;
  };
  Duration end;
  for (std::int64_t t = 0; t < rounds + 3; ++t) {
    if (t < rounds) reduced.push_back(send(up, {}, vector));
    if (t >= 1 && t - 1 < rounds) delivered.push_back(send(down, reduced[t - 1], shard));
    if (t >= 2 && t - 2 < rounds) back.push_back(send(up, delivered[t - 2], shard));
    if (t >= 3) end = send(down, back[t - 3], vector);
  }
  return end;
}

}  // namespace

Algorithm all_reduce_nvls() {
  return {.name = "nvls",
          .collective = CollectiveKind::all_reduce,
          .summary = "the switch adds for each rank its shard, and multicasts what it hands back",
          .paper = "Klenk, Jiang, Thorson & Dennison, ISCA 2020",
          .chunking = Chunking::tuned,
          .complete = complete,
          .supports = supports,
          .tell = tell,
          .predict = predict,
          .reference_shape = Shape::star,
          .in_switch = InSwitch::nvls};
}

}  // namespace ringside::algorithms
