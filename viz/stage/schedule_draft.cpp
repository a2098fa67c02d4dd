#include "viz/stage/schedule_draft.hpp"

#include <fmt/format.h>

#include "core/formats/schedule_text.hpp"

namespace ringside::stage {
namespace {

/// What is between the last break in a text and its end; where that begins.
std::size_t last_line(std::string_view text) {
  const auto end = text.rfind('\n');
  return end == std::string_view::npos ? 0 : end + 1;
}

void end_line(std::string& text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
}

bool has_step(std::string_view text) {
  return text.starts_with("step") || text.find("\nstep") != std::string_view::npos;
}

/// All but the header is a move, a step or a remark.
bool is_header(std::string_view text, std::size_t line) {
  const auto words = text.find_first_not_of(" \t\n");
  return words != std::string_view::npos && line <= words;
}

}  // namespace

ScheduleDraft read_draft(std::string_view text) {
  ScheduleDraft draft;
  const auto told = schedule_from_text_lines(text, "");
  if (!told) {
    draft.problem = told.error().message;
    return draft;
  }
  const Schedule& schedule = told->schedule;
  Replay replay(schedule);
  replay.seek(replay.length());
  draft.ranks = schedule.spec().ranks;
  draft.chunks = schedule.chunks();
  draft.steps = schedule.steps();
  for (std::uint32_t r = 0; r < draft.ranks; ++r)
    for (std::uint32_t c = 0; c < draft.chunks; ++c) {
      const auto& result = replay.at(output(r, c));
      const bool is_in_place = schedule.spec().in_place;
      const auto& held = result || is_in_place ? result : replay.at(input(r, c));
      draft.cells.push_back(held.value_or(ringside::Content{}));
    }
  return draft;
}

std::string with_move(std::string text, const DraftMove& move) {
  end_line(text);
  if (!has_step(text)) text += "step\n";
  text += fmt::format("{} -> {}: {}{}\n", move.from, move.to, move.chunk, move.adds ? " +" : "");
  return text;
}

std::string with_step(std::string text) {
  end_line(text);
  return text + "step\n";
}

std::string without_last(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const auto line = last_line(text);
  if (is_header(text, line)) return text + "\n";
  // One of several moves on a line, or the whole line.
  const auto semicolon = text.rfind(';');
  const auto remark = text.find('#', line);
  if (semicolon != std::string::npos && semicolon > line && remark == std::string::npos)
    text.resize(semicolon);
  else
    text.resize(line);
  end_line(text);
  return text;
}

}  // namespace ringside::stage
