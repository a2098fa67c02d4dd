// The middle of the window during a race: two runs on one clock, and three meters.

#include <fmt/format.h>

#include <algorithm>

#include "viz/panels/people.hpp"
#include "viz/panels/run_view.hpp"
#include "viz/stage/numbers.hpp"

namespace ringside::panels {
namespace {

using stage::Numbers;
using stage::Word;

Bytes busiest_port(const Numbers& numbers) {
  const stage::Port& port = numbers.ports[numbers.busiest_port.value];
  return port.out + port.in;
}

/// One figure of both sides, as lengths of the larger of both at the end.
struct Meter {
  Word word;
  double now[2], end[2];
  std::string text[2];
};

class Race {
 public:
  explicit Race(const Panel& panel)
      : panel_(panel),
        look_(panel.look),
        list_(*ImGui::GetWindowDrawList()),
        runs_{panel.model.run.get(), panel.model.rival.get()} {
    for (int side = 0; side < 2; ++side) {
      now_[side] = std::min(panel.model.playback.now, runs_[side]->time());
      numbers_[side] = stage::numbers_at(*runs_[side], now_[side]);
      end_[side] = stage::numbers_at(*runs_[side], runs_[side]->time());
    }
  }

  void draw() {
    const float line = measure(look_.body, "0").y, small = measure(look_.small, "0").y;
    const float u = look_.unit, meters = 3 * (line + u) + 2 * u;
    const float middle = (panel_.min.x + panel_.max.x) / 2;
    const Corner sides[2] = {
        {{panel_.min.x + 2 * u, panel_.min.y + 2 * u}, {middle - u, panel_.max.y - meters}},
        {{middle + u, panel_.min.y + 2 * u}, {panel_.max.x - 2 * u, panel_.max.y - meters}}};
    list_.AddLine({middle, panel_.min.y + 2 * u}, {middle, panel_.max.y - meters},
                  look_.colour.faint);
    for (int side = 0; side < 2; ++side) {
      title(side, sides[side]);
      const Corner area{
          {sides[side].min.x, sides[side].min.y + measure(look_.title, "0").y + small + 2 * u},
          sides[side].max};
      draw_run({panel_, *runs_[side], now_[side], area, side == 1, false});
    }
    draw_meters(panel_.max.y - meters + u);
  }

 private:
  void title(int side, const Corner& area);
  void draw_meters(float top);
  Meter bytes(Word word, const Bytes now[2], const Bytes end[2]) const {
    Meter meter{word, {}, {}, {}};
    for (int side = 0; side < 2; ++side) {
      meter.now[side] = static_cast<double>(now[side].count);
      meter.end[side] = static_cast<double>(end[side].count);
      meter.text[side] = people(now[side]);
    }
    return meter;
  }
  /// `1.52`: how this side's time compares with the other's.
  std::string times_as_long(int side) const {
    const double other = std::max(1e-12, runs_[1 - side]->time().seconds());
    return fmt::format("{:.2f}", runs_[side]->time().seconds() / other);
  }
  bool is_faster(int side) const { return runs_[side]->time() < runs_[1 - side]->time(); }

  const Panel& panel_;
  const Look& look_;
  ImDrawList& list_;
  const stage::StagedRun* runs_[2];
  TimePoint now_[2];
  Numbers numbers_[2], end_[2];
};

void Race::title(int side, const Corner& area) {
  const stage::StagedRun& run = *runs_[side];
  const std::string name = run.row.algorithm;
  const ImVec2 size = write(list_, area.min, {look_.title, look_.colour.ink}, name.c_str());
  const bool is_beside = runs_[0]->is_measured != runs_[1]->is_measured;
  std::string state = run.is_measured ? look_.say(Word::race_measured) : run.topology->name;
  if (is_beside && !run.is_measured)
    state = fmt::format(fmt::runtime(look_.say(Word::race_simulated)), state);
  state += " · ";
  const bool both_done = now_[0] >= runs_[0]->time() && now_[1] >= runs_[1]->time();
  if (both_done && is_beside && run.is_measured)
    state += fmt::format(fmt::runtime(look_.say(Word::race_compared)), times_as_long(side));
  else if (both_done && !is_beside && is_faster(side))
    state += fmt::format(fmt::runtime(look_.say(Word::race_wins)), people(run.time()),
                         people(runs_[1 - side]->time()));
  else
    state += look_.say(now_[side] >= run.time() ? Word::race_done : Word::race_running);
  write(list_, {area.min.x, area.min.y + size.y},
        {look_.small, both_done && is_faster(side) ? look_.colour.good : look_.colour.quiet},
        state.c_str());
  write(list_, {area.max.x, area.min.y}, {look_.title, look_.colour.ink, 1},
        people(now_[side]).c_str());
}

void Race::draw_meters(float top) {
  const Bytes total[2] = {numbers_[0].sent, numbers_[1].sent},
              all[2] = {end_[0].sent, end_[1].sent};
  const Bytes port[2] = {busiest_port(numbers_[0]), busiest_port(numbers_[1])};
  const Bytes ports[2] = {busiest_port(end_[0]), busiest_port(end_[1])};
  Meter time{Word::race_time, {}, {}, {}};
  for (int side = 0; side < 2; ++side) {
    time.now[side] = static_cast<double>(now_[side].picoseconds);
    time.end[side] = static_cast<double>(runs_[side]->time().picoseconds);
    time.text[side] = people(now_[side]);
  }
  float names = 0;
  for (const Word word : {Word::race_total, Word::race_port, Word::race_time})
    names = std::max(names, measure(look_.small, look_.say(word)).x);
  const float u = look_.unit, line = measure(look_.body, "0").y;
  const float middle = (panel_.min.x + panel_.max.x) / 2,
              figure = measure(look_.small, "000.00 MiB").x;
  const float full = middle - panel_.min.x - names / 2 - figure - 4 * u;
  for (const Meter& meter :
       {bytes(Word::race_total, total, all), bytes(Word::race_port, port, ports), time}) {
    const double most = std::max({meter.end[0], meter.end[1], 1.0});
    const float y = top + line / 2, h = u * 0.6f;
    write(list_, {middle, top + (line - measure(look_.small, "0").y) / 2},
          {look_.small, look_.colour.quiet, 0.5f}, look_.say(meter.word));
    for (int side = 0; side < 2; ++side) {
      const float from = side == 0 ? middle - names / 2 - u : middle + names / 2 + u,
                  sign = side == 0 ? -1.f : 1.f;
      const auto bar = [&](double share, ImU32 colour) {
        const float to = from + sign * full * static_cast<float>(share);
        list_.AddRectFilled({std::min(from, to), y - h}, {std::max(from, to), y + h}, colour,
                            h / 2);
      };
      bar(meter.end[side] / most, look_.colour.trough);
      bar(meter.now[side] / most,
          meter.end[side] <= meter.end[1 - side] ? look_.colour.good : look_.colour.accent);
      const float text = from + sign * (full + u);
      write(list_, {text, top + (line - measure(look_.small, "0").y) / 2},
            {look_.small, look_.colour.ink, side == 0 ? 1.f : 0.f}, meter.text[side].c_str());
    }
    top += line + u;
  }
}

}  // namespace

void draw_race(const Panel& panel) {
  if (!panel.model.rival) return draw_stage(panel);
  begin_panel("race", panel);
  if (panel.model.run) Race(panel).draw();
  end_panel();
}

}  // namespace ringside::panels
