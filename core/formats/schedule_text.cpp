#include "core/formats/schedule_text.hpp"

#include "core/suggest.hpp"

namespace ringside {
namespace {

constexpr std::size_t line_width = 100;

std::string_view buffer_suffix(Buffer buffer, const CollectiveSpec& spec) {
  if (buffer == Buffer::scratch) return ".scratch";
  if (spec.in_place) return "";
  return buffer == Buffer::input ? ".in" : ".out";
}

std::string chunk_range(Slot first, std::uint32_t chunks) {
  const auto text = std::to_string(first.chunk.value);
  return chunks == 1 ? text : text + "-" + std::to_string(nth(first, chunks - 1).chunk.value);
}

std::string place(const Slot& slot, const CollectiveSpec& spec) {
  return std::to_string(slot.rank.value) + std::string(buffer_suffix(slot.buffer, spec));
}

/// The buffer of an operand, which lies where the result goes.
std::string_view operand_name(Buffer buffer) {
  if (buffer == Buffer::scratch) return "scratch";
  return buffer == Buffer::input ? "in" : "out";
}

std::string header(const Schedule& schedule) {
  const CollectiveSpec& spec = schedule.spec();
  std::string text = std::string(name(spec.kind)) + " " + counted(spec.ranks, "rank") + " " +
                     counted(schedule.chunks(), "chunk");
  if (has_root(spec.kind)) text += " root " + std::to_string(spec.root.value);
  if (schedule.agents() > 0) text += " " + counted(schedule.agents(), "agent");
  return text + (!spec.in_place && may_be_in_place(spec.kind) ? " out of place\n" : "\n");
}

std::string step_text(const std::vector<std::string>& moves, std::uint32_t number) {
  const auto begin = "step " + std::to_string(number);
  std::string line = begin + ":";
  for (const auto& move : moves) line += (&move == moves.data() ? " " : "; ") + move;
  if (line.size() <= line_width) return line + "\n";
  line = begin + "\n";
  for (const auto& move : moves) line += "  " + move + "\n";
  return line;
}

}  // namespace

std::string move_text(const Transfer& t, const CollectiveSpec& spec) {
  const bool is_plain = t.src().chunk == t.dst().chunk &&
                        (t.action() == Action::copy || t.with().chunk == t.dst().chunk);
  const auto range = [&](const Slot& slot) { return chunk_range(slot, t.chunks()); };
  const auto in_brackets = [&](const Slot& slot) {
    return is_plain ? std::string() : "[" + range(slot) + "]";
  };
  std::string text = place(t.src(), spec) + in_brackets(t.src()) + " -> " + place(t.dst(), spec) +
                     in_brackets(t.dst());
  if (is_plain) text += ": " + range(t.src());
  if (t.action() == Action::reduce) text += " +";
  if (t.has_separate_operand())
    text += " " + std::string(operand_name(t.with().buffer)) + in_brackets(t.with());
  if (t.channel().value != 0) text += " channel " + std::to_string(t.channel().value);
  return text;
}

std::string schedule_to_text(const Schedule& schedule) {
  std::string text = header(schedule);
  for (Step step{0}; step.value < schedule.steps(); ++step.value) {
    std::vector<std::string> moves;
    for (auto id = schedule.step_begin(step); id < schedule.step_end(step); ++id.value)
      moves.push_back(move_text(schedule[id], schedule.spec()));
    text += step_text(moves, step.value);
  }
  return text;
}

}  // namespace ringside
