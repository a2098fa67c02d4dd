#include "viz/terminal/lesson_scene.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/replay.hpp"

namespace ringside::terminal {
namespace {

constexpr std::uint32_t most_drawn = 8;  // ranks, and chunks
constexpr std::uint32_t most_told = 12;  // transfers in a row

/// What runs. Its time is told where it is over: before that it may be what is asked.
std::string summary(const lessons::Experiment& run, bool is_over) {
  const auto on = run.row.system.empty() ? "" : " on " + run.row.system;
  const auto size = static_cast<double>(run.row.size.value_or(Bytes{}).count);
  return fmt::format("{} {} of {}{}: {} ranks{}\n", run.row.algorithm, name(run.row.collective),
                     lessons::show(size, lessons::Unit::bytes), on, run.ranks(),
                     is_over ? ", " + to_string(run.time) : "");
}

/// How many transfers, in told order, were done by then.
std::uint32_t done_by(const lessons::Experiment& run, TimePoint now) {
  std::uint32_t done = 0;
  while (done < run.spans.size() && run.spans[done].commit <= now) ++done;
  return done;
}

/// Whether the beat is about what ranks hold, and that is little enough to be drawn.
bool shows_values(const lessons::Beat& beat, const lessons::Experiment& run) {
  return std::ranges::count(beat.look, "values") > 0 && run.ranks() <= most_drawn &&
         run.schedule->chunks() <= most_drawn;
}

lessons::ExperimentPtr shown(const lessons::Instance& instance, const std::string& share) {
  if (share.empty()) return nullptr;
  const auto run = instance.laboratory().run(share);
  return run ? *run : nullptr;
}

TimePoint when(const lessons::Experiment& run, const std::string& at) {
  return moment(run, at.empty() ? "start" : at).value_or(TimePoint{});
}

}  // namespace

std::string draw_scene(const lessons::Instance& instance, std::size_t beat, const Style& style) {
  const auto& rule = instance.beat(beat);
  if (rule.run.empty() && rule.at.empty() && rule.rival.empty()) return "";
  const auto& scene = instance.scene(beat);
  const auto run = shown(instance, scene.run);
  if (run == nullptr) return "";
  const bool is_over = scene.at == "end";
  std::string text = summary(*run, is_over);
  if (const auto rival = shown(instance, scene.rival)) text += summary(*rival, is_over);
  if (!shows_values(rule, *run)) return text;
  Replay replay(*run->schedule);
  const auto done = done_by(*run, when(*run, scene.at));
  replay.seek(done);
  return text + draw_state(*run->schedule, replay, {done}, {done}, style);
}

std::string draw_play(const lessons::Instance& instance, std::size_t beat, const Style& style) {
  const auto& scene = instance.scene(beat);
  if (scene.play.empty()) return "";
  const auto run = shown(instance, scene.run);
  if (run == nullptr) return "";
  std::string text = summary(*run, true);
  if (const auto rival = shown(instance, scene.rival)) text += summary(*rival, true);
  if (!shows_values(instance.beat(beat), *run)) return text;
  const auto first = done_by(*run, when(*run, scene.at)),
             last = done_by(*run, when(*run, scene.play));
  Replay replay(*run->schedule);
  for (std::uint32_t id = first; id < last; ++id) {
    replay.seek(id);
    if (id - first < most_told) text += describe(*run->schedule, {id}, replay) + "\n";
  }
  if (last > first + most_told) text += fmt::format("... {} more\n", last - first - most_told);
  replay.seek(std::max(first, last));
  return text + draw_state(*run->schedule, replay, {first}, {std::max(first, last)}, style);
}

std::string draw_card(const lessons::Card& card) {
  const auto cell = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : std::string(".");
  };
  std::string text;
  for (std::size_t r = 0; r < card.before.size(); ++r) {
    text += fmt::format("    rank {}", r);
    for (const auto& value : card.before[r]) text += fmt::format("{:>7}", cell(value));
    text += "   ->";
    for (const auto& value : card.after[r]) text += fmt::format("{:>7}", cell(value));
    text += "\n";
  }
  return text;
}

}  // namespace ringside::terminal
