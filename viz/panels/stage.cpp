// The middle of the window: who has what, and what is on its way to whom.

#include <fmt/format.h>

#include <algorithm>

#include "viz/panels/people.hpp"
#include "viz/panels/run_view.hpp"
#include "viz/stage/numbers.hpp"

namespace ringside::panels {
namespace {

using stage::Word;

/// `4th`, for the English.
std::string ordinal(std::uint32_t n, stage::Language language) {
  if (language == stage::Language::chinese) return std::to_string(n);
  const bool teen = n % 100 / 10 == 1;
  const char* ending = teen          ? "th"
                       : n % 10 == 1 ? "st"
                       : n % 10 == 2 ? "nd"
                       : n % 10 == 3 ? "rd"
                                     : "th";
  return std::to_string(n) + ending;
}

/// What is going on: the step, or that nothing is.
std::string heading(const Panel& panel, const stage::StagedRun& run, TimePoint now) {
  const Look& look = panel.look;
  const auto flights = run.timeline->under_way(now);
  if (flights.empty() && now >= run.time()) return look.say(Word::finished);
  if (flights.empty() && now.picoseconds == 0) return look.say(Word::before_start);
  if (flights.empty()) return look.say(Word::nothing_on_its_way);
  const Step first = run.schedule->step(flights.front().id),
             last = run.schedule->step(flights.back().id);
  if (first == last)
    return fmt::format(fmt::runtime(look.say(Word::step_of)), first.value,
                       ordinal(first.value + 1, look.language), run.schedule->steps());
  return fmt::format(fmt::runtime(look.say(Word::steps_of)), first.value, last.value,
                     run.schedule->steps());
}

std::string subheading(const Panel& panel, const stage::StagedRun& run, TimePoint now) {
  const auto flights = run.timeline->under_way(now);
  if (flights.empty())
    return panel.look.say(now >= run.time()
                              ? run.violations.empty() ? Word::finished_right : Word::finished_wrong
                              : Word::before_start_more);
  const auto adds = std::ranges::count_if(flights, [&](const auto& flight) {
    return (*run.schedule)[flight.id].action() == Action::reduce;
  });
  const Word word = adds == 0                                             ? Word::copies
                    : adds == static_cast<std::ptrdiff_t>(flights.size()) ? Word::adds
                                                                          : Word::adds_and_copies;
  return fmt::format(fmt::runtime(panel.look.say(word)), flights.size());
}

/// The middle of the circle, where nothing flies over it.
bool centre_is_free(const stage::Scene& scene, ImVec2 words) {
  const stage::Box box = stage::Box::around(scene.region.centre(), words.x, words.y);
  const auto hits = [&](const stage::Box& other) {
    return !other.is_empty() && other.overlaps(box);
  };
  if (scene.is_machine || std::ranges::any_of(scene.devices, hits)) return false;
  for (const auto& way : scene.ways)
    for (const auto& point : way)
      if (box.contains(point)) return false;
  return scene.ways.size() <= 4 * scene.ranks.size();
}

void clock(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const Look& look = view.panel.look;
  const std::string now = people(view.now);
  const std::string end =
      fmt::format(fmt::runtime(look.say(Word::of_time)), people(view.run.time()));
  const ImVec2 huge = measure(look.huge, "000.00 µs");
  const auto numbers = stage::numbers_at(view.run, view.now);
  const std::string sent = fmt::format(fmt::runtime(look.say(Word::sent_of)), people(numbers.sent),
                                       people(numbers.to_send));
  const float left = view.panel.size().x -
                     measure(look.body, subheading(view.panel, view.run, view.now).c_str()).x;
  const auto fits = [&](const std::string& text) {
    return measure(look.body, text.c_str()).x < left - 5 * look.unit;
  };
  if (!centre_is_free(scene, {huge.x * 1.1f, huge.y * 2.4f})) {
    const float x = view.panel.max.x - 2 * look.unit;
    write(list, {x, view.panel.min.y + 2 * look.unit}, {look.title, look.colour.ink, 1},
          now.c_str());
    for (const std::string& text : {end + " · " + sent, end}) {
      if (!fits(text)) continue;
      write(list, {x, view.panel.min.y + 2 * look.unit + measure(look.title, "0").y},
            {look.body, look.colour.quiet, 1}, text.c_str());
      break;
    }
    return;
  }
  const ImVec2 c = to_screen(scene.region.centre());
  if (scene.is_logical)
    write(list, {c.x, c.y - huge.y - measure(look.small, "0").y - look.unit},
          {look.small, look.colour.quiet, 0.5f}, look.say(Word::logical_ring));
  write(list, {c.x, c.y - huge.y}, {look.huge, look.colour.ink, 0.5f}, now.c_str());
  write(list, {c.x, c.y + look.unit / 2}, {look.body, look.colour.quiet, 0.5f}, end.c_str());
  write(list, {c.x, c.y + 2 * look.unit + measure(look.body, "0").y},
        {look.small, look.colour.quiet, 0.5f}, sent.c_str());
}

void legend(const Panel& panel, const stage::StagedRun& run, ImDrawList& list) {
  const Look& look = panel.look;
  const bool sums = reduces(run.schedule->spec().kind);
  std::string text = look.say(sums ? Word::bar_is_share : Word::bar_is_here);
  if (run.ranks() <= 12) text += std::string("   ·   ") + look.say(Word::ticks_are_parts);
  const float width = panel.size().x - 4 * look.unit;
  if (measure(look.small, text.c_str()).x > width)
    text = look.say(sums ? Word::bar_is_share : Word::bar_is_here);
  write(list,
        {panel.min.x + 2 * look.unit, panel.max.y - 2 * look.unit - measure(look.small, "x").y},
        {look.small, look.colour.quiet}, text.c_str());
}

}  // namespace

void draw_stage(const Panel& panel) {
  const Look& look = panel.look;
  begin_panel("stage", panel);
  if (panel.model.run) {
    const stage::StagedRun& run = *panel.model.run;
    const TimePoint now = panel.model.playback.now;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float title = measure(look.title, "x").y, line = measure(look.body, "x").y;
    const ImVec2 at{panel.min.x + 2 * look.unit, panel.min.y + 2 * look.unit};
    std::string head = heading(panel, run, now);
    write(list, at, {look.title, look.colour.ink}, head.c_str());
    write(list, {at.x, at.y + title + look.unit / 2}, {look.body, look.colour.quiet},
          subheading(panel, run, now).c_str());
    const RunView view{panel,
                       run,
                       now,
                       {{panel.min.x + 2 * look.unit, at.y + title + line + 2 * look.unit},
                        {panel.max.x - 2 * look.unit, panel.max.y - 5 * look.unit}}};
    draw_run(view);
    const stage::Scene& scene = scene_of(view);
    clock(view, scene, list);
    legend(panel, run, list);
  }
  end_panel();
}

}  // namespace ringside::panels
