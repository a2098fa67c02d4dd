#include "viz/terminal/state_view.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

constexpr std::uint32_t widest = 8;       // chunks side by side, so that 8 ranks fit a projector
constexpr std::uint32_t most_ranks = 32;  // more are listed, not drawn
constexpr std::uint32_t most_marks = 16;  // contributor marks in a cell; beyond, a count

std::string number(double value) {
  return fmt::format("{:.10g}", value);
}

/// Rank r's part is in it: `#` once, `.` not, a digit if more often.
std::string marks(const Content& content) {
  if (content.contributions.size() > most_marks)
    return fmt::format("{}/{}", content.contributors(), content.contributions.size());
  std::string text;
  for (const auto times : content.contributions)
    text += times == 0 ? '.' : times == 1 ? '#' : times < 10 ? static_cast<char>('0' + times) : '+';
  return text;
}

bool is_whole(const Content& content) {
  return std::all_of(content.contributions.begin(), content.contributions.end(),
                     [](auto times) { return times == 1; });
}

std::string rank_name(const Schedule& schedule, Rank rank) {
  const auto ranks = schedule.spec().ranks;
  return rank.value < ranks ? fmt::format("rank {}", rank.value)
                            : fmt::format("switch {}", rank.value - ranks);
}

std::string chunk_name(const Slot& slot, std::uint32_t chunks) {
  const char letter = slot.buffer == Buffer::scratch ? 'x' : 'c';
  if (chunks == 1) return fmt::format("{}{}", letter, slot.chunk.value);
  return fmt::format("{}{}-{}{}", letter, slot.chunk.value, letter, slot.chunk.value + chunks - 1);
}

/// As a line, without blanks at its end.
std::string trimmed(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::set<Slot> written(const Schedule& schedule, TransferId first, TransferId last) {
  std::set<Slot> slots;
  for (auto id = first; id < last; ++id.value)
    for (std::uint32_t i = 0; i < schedule[id].chunks(); ++i) {
      Slot slot = schedule[id].dst();
      slot.chunk.value += i;
      slots.insert(slot);
    }
  return slots;
}

/// Draws one schedule's state; widths are the same in every step, so that the eye can stay.
class Drawing {
 public:
  Drawing(const Schedule& schedule, const Replay& replay, std::set<Slot> fresh, const Style& style)
      : schedule_(schedule), replay_(replay), fresh_(std::move(fresh)), style_(style) {
    mark_width_ = schedule.spec().ranks > most_marks ? 9 : schedule.spec().ranks;
  }

  std::string matrix() const {
    std::string text = fmt::format("  {:<10}", "");
    for (std::uint32_t c = 0; c < schedule_.chunks(); ++c) text += heading(fmt::format("c{}", c));
    for (std::uint32_t x = 0; x < schedule_.scratch_chunks(); ++x)
      text += heading(fmt::format("x{}", x));
    text = trimmed(text);
    for (std::uint32_t r = 0; r < schedule_.participants(); ++r) text += line(r);
    return text;
  }

  std::string list() const {
    if (fresh_.empty())
      return fmt::format("  {} ranks with {} chunks are too many to draw: steps list what is new\n",
                         schedule_.participants(), schedule_.chunks());
    std::string text;
    for (const Slot& slot : fresh_)
      text += trimmed(fmt::format("  {:<10} {:>4} {}", rank_name(schedule_, slot.rank),
                                  chunk_name(slot, 1), cell(replay_.at(slot), true)));
    return text;
  }

 private:
  static constexpr std::size_t value_width = 8;

  std::string heading(const std::string& name) const {
    return fmt::format("{:>{}} {:<{}} ", name, value_width, "", mark_width_ + 1);
  }

  std::string line(std::uint32_t r) const {
    std::string text = fmt::format("  {:<10}", rank_name(schedule_, {r}));
    for (std::uint32_t c = 0; c < schedule_.chunks(); ++c) {
      const bool is_output = replay_.at(output(r, c)).has_value();
      const Slot slot = is_output ? output(r, c) : input(r, c);
      text += cell(replay_.at(slot), fresh_.count(slot) > 0);
    }
    for (std::uint32_t x = 0; x < schedule_.scratch_chunks(); ++x)
      text += cell(replay_.at(scratch(r, x)), fresh_.count(scratch(r, x)) > 0);
    return trimmed(text);
  }

  std::string cell(const std::optional<Content>& content, bool fresh) const {
    const std::string value = content ? number(content->value) : "-";
    const std::string who = content ? marks(*content) : "";
    std::string text = fmt::format("{:>{}} {:<{}}{} ", value, value_width, who, mark_width_,
                                   fresh && content ? "<" : " ");
    if (!style_.colour || !content) return text;
    const char* code = is_whole(*content) ? "1;32" : fresh ? "1;33" : "0";
    return fmt::format("\033[{}m{}\033[0m", code, text);
  }

  const Schedule& schedule_;
  const Replay& replay_;
  std::set<Slot> fresh_;
  Style style_;
  std::size_t mark_width_;
};

}  // namespace

Style Style::for_stdout() {
  return {.colour = is_terminal(STDOUT_FILENO) && std::getenv("NO_COLOR") == nullptr};
}

std::string describe_step(Step step, std::uint32_t steps) {
  const auto nth = step.value + 1;
  const bool teen = nth % 100 >= 11 && nth % 100 <= 13;
  const char* ending = teen            ? "th"
                       : nth % 10 == 1 ? "st"
                       : nth % 10 == 2 ? "nd"
                       : nth % 10 == 3 ? "rd"
                                       : "th";
  return fmt::format("s = {} ({}{} of {})", step.value, nth, ending, steps);
}

std::string describe(const Schedule& schedule, TransferId id, const Replay& replay) {
  const Transfer& t = schedule[id];
  const std::string what = chunk_name(t.src(), t.chunks());
  const std::string from = rank_name(schedule, t.src().rank),
                    to = rank_name(schedule, t.dst().rank);
  std::string text = t.is_local() ? fmt::format("{} keeps {}", from, what)
                                  : fmt::format("{} sends {} to {}", from, what, to);
  if (t.src().chunk != t.dst().chunk || t.src().buffer == Buffer::scratch ||
      t.dst().buffer == Buffer::scratch)
    text += fmt::format(" (into {})", chunk_name(t.dst(), t.chunks()));
  if (t.action() == Action::copy) return text + (t.is_local() ? "" : ", which keeps it");
  text += t.is_local() ? ", adding it" : ", which adds it";
  const auto& mine = replay.at(t.with());
  const auto& theirs = replay.at(t.src());
  if (t.chunks() == 1 && mine && theirs)
    text += fmt::format(": {} + {} = {}", number(mine->value), number(theirs->value),
                        number(mine->value + theirs->value));
  return text;
}

std::string draw_state(const Schedule& schedule, const Replay& replay, TransferId first,
                       TransferId last, const Style& style) {
  const Drawing drawing(schedule, replay, written(schedule, first, last), style);
  const bool wide = schedule.chunks() + schedule.scratch_chunks() > widest ||
                    schedule.participants() > most_ranks;
  return wide ? drawing.list() : drawing.matrix();
}

}  // namespace ringside::terminal
