// The middle of the window: who has what, and what is on its way to whom.

#include <fmt/format.h>

#include <algorithm>

#include "viz/panels/people.hpp"
#include "viz/panels/run_view.hpp"
#include "viz/panels/stage_legend.hpp"
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

/// `Reduce-scatter · ` where all that is on its way belongs to it; else nothing.
std::string phase(const Look& look, const stage::StagedRun& run, Step first, Step last) {
  if (!run.phases || !run.violations.empty()) return {};
  const bool is_second = first >= run.phases->second;
  if (is_second != (last >= run.phases->second)) return {};
  const bool scatters = run.phases->kind == stage::Phases::Kind::scatter_gather;
  const Word word = is_second ? (scatters ? Word::phase_gather : Word::phase_broadcast)
                              : (scatters ? Word::phase_scatter : Word::phase_reduce);
  return std::string(look.say(word)) + " · ";
}

/// What is on its way and may be seen.
std::vector<stage::UnderWay> flights_of(const Panel& panel, const stage::StagedRun& run,
                                        TimePoint now) {
  auto flights = run.timeline->under_way(now);
  std::erase_if(flights, [&](const stage::UnderWay& flight) {
    return stage::is_to_come(panel.model, run, flight.id);
  });
  return flights;
}

/// What is going on: the step, or that nothing is. With the phase where there is `room` for it.
std::string heading(const Panel& panel, const stage::StagedRun& run, TimePoint now, float room) {
  const Look& look = panel.look;
  const auto flights = flights_of(panel, run, now);
  if (flights.empty() && now >= run.time()) return look.say(Word::finished);
  if (flights.empty() && now.picoseconds == 0) return look.say(Word::before_start);
  if (flights.empty()) return look.say(Word::nothing_on_its_way);
  const Step first = run.schedule->step(flights.front().id),
             last = run.schedule->step(flights.back().id);
  if (stage::hides_future(panel.model))  // how many there are may be what is asked
    return first == last ? fmt::format("s = {}", first.value)
                         : fmt::format("s = {}–{}", first.value, last.value);
  const std::string steps =
      first == last ? fmt::format(fmt::runtime(look.say(Word::step_of)), first.value,
                                  ordinal(first.value + 1, look.language), run.schedule->steps())
                    : fmt::format(fmt::runtime(look.say(Word::steps_of)), first.value, last.value,
                                  run.schedule->steps());
  const std::string both = phase(look, run, first, last) + steps;
  return measure(look.title, both.c_str()).x <= room ? both : steps;
}

/// The first half of a sentence in two, where there is no room for both.
std::string in_room(const Look& look, std::string text, float room) {
  if (measure(look.body, text.c_str()).x <= room) return text;
  for (const std::string_view joint : {"; ", "："})
    if (const auto at = text.find(joint); at != std::string::npos) return text.substr(0, at);
  return text;
}

std::string subheading(const Panel& panel, const stage::StagedRun& run, TimePoint now) {
  const auto flights = flights_of(panel, run, now);
  if (flights.empty() && now.picoseconds > 0 && now < run.time()) return {};
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

struct Clock {
  std::string now, end, sent;
};
Clock clock_of(const RunView& view) {
  const Look& look = view.panel.look;
  const auto numbers = stage::numbers_at(view.run, view.now);
  if (stage::hides_future(view.panel.model)) return {people(view.now), "", ""};
  return {people(view.now),
          fmt::format(fmt::runtime(look.say(Word::of_time)), people(view.run.time())),
          fmt::format(fmt::runtime(look.say(Word::sent_of)), people(numbers.sent),
                      people(numbers.to_send))};
}

void clock_in_the_middle(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const Look& look = view.panel.look;
  const Clock clock = clock_of(view);
  const ImVec2 c = to_screen(scene.region.centre());
  const float huge = measure(look.huge, "0").y, body = measure(look.body, "0").y;
  if (scene.is_logical)
    write(list, {c.x, c.y - huge - measure(look.small, "0").y - look.unit},
          {look.small, look.colour.quiet, 0.5f}, look.say(Word::logical_ring));
  write(list, {c.x, c.y - huge}, {look.huge, look.colour.ink, 0.5f}, clock.now.c_str());
  write(list, {c.x, c.y + look.unit / 2}, {look.body, look.colour.quiet, 0.5f}, clock.end.c_str());
  write(list, {c.x, c.y + 1.5f * look.unit + body}, {look.small, look.colour.quiet, 0.5f},
        clock.sent.c_str());
}

/// In the middle; of two ranks, above the wires between them and the chunks on these.
void name_the_ring(const Look& look, const stage::Scene& scene, ImDrawList& list) {
  const ImVec2 size = measure(look.small, look.say(Word::logical_ring));
  auto box = stage::Box::around(scene.region.centre(), size.x, size.y);
  const bool is_crossed = std::ranges::any_of(scene.wires, [&](const stage::Scene::Wire& wire) {
    return box.grown(2).is_crossed(wire.path.front(), wire.path.back());
  });
  if (is_crossed) box.y -= size.y + 2 * scene.chip.y;
  write(list, {static_cast<float>(box.centre().x), static_cast<float>(box.y)},
        {look.small, look.colour.quiet, 0.5f}, look.say(Word::logical_ring));
}

/// Right of the heading, which needs `taken` of the width.
void clock_in_the_corner(const RunView& view, float taken, ImDrawList& list) {
  const Look& look = view.panel.look;
  const Clock clock = clock_of(view);
  const ImVec2 at{view.panel.max.x - 2 * look.unit, view.panel.min.y + 2 * look.unit};
  write(list, at, {look.title, look.colour.ink, 1}, clock.now.c_str());
  if (clock.end.empty()) return;
  const std::string both = clock.end + " · " + clock.sent;
  const float room = view.panel.size().x - taken - 6 * look.unit;
  for (const std::string& text : {both, clock.end}) {
    if (measure(look.body, text.c_str()).x > room) continue;
    write(list, {at.x, at.y + measure(look.title, "0").y + look.unit / 2},
          {look.body, look.colour.quiet, 1}, text.c_str());
    break;
  }
}

}  // namespace

void draw_stage(const Panel& panel) {
  const Look& look = panel.look;
  begin_panel("stage", panel);
  if (panel.model.run) {
    const stage::StagedRun& run = *panel.model.run;
    const TimePoint now = panel.model.playback.now;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float u = look.unit, title = measure(look.title, "x").y, line = measure(look.body, "x").y;
    const ImVec2 at{panel.min.x + 2 * u, panel.min.y + 2 * u};
    const float clock = measure(look.title, "000.00 µs").x + 3 * u;
    write(list, at, {look.title, look.colour.ink},
          heading(panel, run, now, panel.size().x - 4 * u - clock).c_str());
    const ImVec2 below =
        write(list, {at.x, at.y + title + u / 2}, {look.body, look.colour.quiet},
              in_room(look, subheading(panel, run, now), panel.size().x - 4 * u).c_str());
    const Corner whole{at, {panel.max.x - 2 * u, panel.max.y - 1.5f * u}};
    const float legend = legend_height(panel, run, whole);
    const RunView view{
        panel,
        run,
        now,
        {{at.x, at.y + title + line + 2 * u}, {whole.max.x, whole.max.y - legend - u}}};
    draw_run(view);
    const stage::Scene& scene = scene_of(view);
    if (is_centre_free(view, scene))
      clock_in_the_middle(view, scene, list);
    else
      clock_in_the_corner(view, below.x, list);
    if (scene.is_logical && !scene.is_machine && !is_centre_free(view, scene))
      name_the_ring(look, scene, list);
    draw_legend(view, scene, whole);
  }
  end_panel();
}

}  // namespace ringside::panels
