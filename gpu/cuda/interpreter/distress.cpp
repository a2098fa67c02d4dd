#include "gpu/cuda/interpreter/distress.hpp"

#include <optional>

namespace ringside::cuda::interpreter {
namespace {

std::string rank_name(Rank rank) {
  return "rank " + std::to_string(rank.value);
}

/// What the block's requirement stands for.
std::string missing(const Distress& d, const BlockProgram& block, const Tables& tables,
                    const Schedule& schedule) {
  const DeviceProgram& program = tables.program();
  const Instruction& i = block.instructions[d.instruction];
  if (d.requirement < i.wait_count) {
    const Wait& wait = block.waits[i.waits + d.requirement];
    if (wait.what == Wait::For::taken) {
      const Connection& c = program.connections[block.ends[wait.index].connection];
      return rank_name(c.to) + " to take " +
             ringside::describe(c.messages[wait.count - 1], schedule);
    }
    const auto& other = program.blocks[block.rank.value * program.channels + wait.index];
    const auto& events = other.events[wait.count - 1];
    return "its own channel " + std::to_string(wait.index) + " to do " +
           (events.empty() ? "its part" : ringside::describe(events.back().transfer, schedule));
  }
  const Operand& o = block.operands[i.operands + d.requirement - i.wait_count];
  const Connection& c = program.connections[block.ends[o.index].connection];
  if (o.site == Site::received || o.site == Site::peer)
    return rank_name(c.from) + " to send " + ringside::describe(c.messages[o.ordinal], schedule);
  return rank_name(c.to) + " to take what was sent before " +
         ringside::describe(c.messages[o.ordinal], schedule);
}

}  // namespace

std::string describe(std::span<const Distress> distress, std::span<const TaskName> tasks,
                     const Tables& tables, const Schedule& schedule) {
  std::optional<std::size_t> first;
  for (std::size_t t = 0; t < distress.size(); ++t)
    if (distress[t].since > 0 && (!first || distress[t].since < distress[*first].since)) first = t;
  if (!first) return "no thread block says why it gave up";
  const Distress& d = distress[*first];
  const BlockProgram& block = tables.program().blocks[tasks[*first].program];
  std::string text = rank_name(block.rank) + ", channel " + std::to_string(block.channel.value) +
                     ", thread block " + std::to_string(tasks[*first].cta) + " waited for " +
                     missing(d, block, tables, schedule);
  const auto& events = block.events[d.instruction];
  if (!events.empty())
    text +=
        ", on which its own " + ringside::describe(events.front().transfer, schedule) + " depends";
  return text;
}

}  // namespace ringside::cuda::interpreter
