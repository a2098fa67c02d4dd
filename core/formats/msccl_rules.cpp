#include "core/formats/msccl_rules.hpp"

#include <array>
#include <map>
#include <set>

namespace ringside {
namespace {

constexpr std::array<std::string_view, 9> step_types{"nop", "s",    "r",   "rcs", "rrc",
                                                     "rrs", "rrcs", "cpy", "re"};

/// A wait ends when the awaited step, or a later one of its tb, has signalled.
Fault unsignalled(const Position& at, const After& after, const std::vector<bool>& signals) {
  auto later = after.instruction;
  while (later < signals.size() && !signals[later]) ++later;
  const bool never = later >= signals.size();
  return {never ? FaultKind::deadlock : FaultKind::malformed, at,
          to_string(at, msccl_words) + " waits for tb " + std::to_string(after.lane) + ", step " +
              std::to_string(after.instruction) + ", which has hasdep=\"0\" and so never says " +
              "that it is done" +
              (never ? "" : "; only step " + std::to_string(later) + " of that tb does")};
}

}  // namespace

const Words msccl_words{"gpu", "tb", "step", step_types};

std::vector<Fault> msccl_faults(const Program& program, Rank rank, const Signals& signals) {
  std::vector<Fault> faults;
  const auto& lanes = program.ranks[rank.value];
  const auto report = [&](FaultKind kind, std::uint32_t lane, std::uint32_t i,
                          const std::string& what) {
    const Position at{rank, lane, i};
    faults.push_back({kind, at, to_string(at, msccl_words) + " " + what});
  };
  for (std::uint32_t l = 0; l < lanes.size(); ++l) {
    bool follows_nops = false;
    for (std::uint32_t i = 0; i < lanes[l].instructions.size(); ++i) {
      const auto& [op, src, operand, dst, chunks, after] = lanes[l].instructions[i];
      if (after && after->lane < signals.size() &&
          after->instruction < signals[after->lane].size() &&
          !signals[after->lane][after->instruction])
        faults.push_back(unsignalled({rank, l, i}, *after, signals[after->lane]));
      if (op != Opcode::wait && follows_nops && !after)
        report(FaultKind::malformed, l, i,
               "follows nops but has no depid of its own: a runtime hands the waits of nops to the "
               "step after them, and refuses the file if that waits for nothing");
      follows_nops = op == Opcode::wait;
    }
    if (follows_nops)
      report(FaultKind::malformed, l, static_cast<std::uint32_t>(lanes[l].instructions.size()) - 1,
             "is a nop at the end of its tb: no step takes its wait over");
  }
  return faults;
}

std::vector<std::string> beyond_msccl_limits(const Program& program) {
  std::map<std::string, std::string> first;  // by limit: where it is broken first
  const auto broken = [&](const std::string& limit, const std::string& where) {
    first.try_emplace(limit, where);
  };
  const auto count = [](std::size_t n) { return std::to_string(n); };
  for (std::uint32_t r = 0; r < program.ranks.size(); ++r) {
    const auto& lanes = program.ranks[r];
    const auto gpu = "gpu " + count(r);
    if (lanes.size() > msccl_max_blocks)
      broken(count(msccl_max_blocks) + " tbs a gpu", gpu + " has " + count(lanes.size()));
    std::map<std::uint32_t, std::set<Rank>> to, from;  // by channel
    for (std::uint32_t l = 0; l < lanes.size(); ++l) {
      const Lane& lane = lanes[l];
      if (lane.to) to[lane.channel.value].insert(*lane.to);
      if (lane.from) from[lane.channel.value].insert(*lane.from);
      if (lane.instructions.size() > msccl_max_steps)
        broken(count(msccl_max_steps) + " steps a tb",
               gpu + ", tb " + count(l) + " has " + count(lane.instructions.size()));
      for (std::uint32_t i = 0; i < lane.instructions.size(); ++i)
        if (const auto chunks = lane.instructions[i].chunks; chunks > msccl_max_chunks)
          broken(count(msccl_max_chunks) + " chunks a step",
                 to_string(Position{{r}, l, i}, msccl_words) + " has " + count(chunks));
    }
    for (const auto* peers : {&to, &from})
      for (const auto& [channel, ranks] : *peers)
        if (ranks.size() > msccl_max_peers)
          broken(count(msccl_max_peers) + " peers a channel and direction",
                 gpu + " has " + count(ranks.size()) + " on channel " + count(channel));
  }
  std::vector<std::string> sentences;
  for (const auto& [limit, where] : first)
    sentences.push_back("MSCCL has room for " + limit + "; " + where);
  return sentences;
}

}  // namespace ringside
