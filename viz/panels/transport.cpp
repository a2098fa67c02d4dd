// The bottom: play, step, scrub, speed.

#include <fmt/format.h>

#include <algorithm>

#include "viz/panels/people.hpp"
#include "viz/panels/widgets.hpp"
#include "viz/stage/clock.hpp"

namespace ringside::panels {
namespace {

using stage::Command;
using stage::Word;

/// One button after the other, from the left.
class Row {
 public:
  explicit Row(const Panel& panel)
      : panel_(panel),
        look_(panel.look),
        list_(*ImGui::GetWindowDrawList()),
        x_(panel.min.x + 2 * look_.unit),
        middle_(panel.min.y + panel.size().y / 2) {}

  /// A triangle that points left (-1) or right, and a bar at its tip.
  void jump(const char* id, int way, Command command) {
    const float u = look_.unit;
    const Corner box{{x_, middle_ - 2 * u}, {x_ + 4 * u, middle_ + 2 * u}};
    const Touch mouse = touch(id, box);
    const ImU32 ink = mouse.is_hovered ? look_.colour.accent : look_.colour.ink;
    const float w = static_cast<float>(way), c = x_ + 2 * u;
    arrow({c, middle_}, w, ink);
    list_.AddRectFilled({c + w * u - u / 8, middle_ - u}, {c + w * u + u / 8, middle_ + u}, ink);
    if (mouse.is_clicked) panel_.actions.emplace_back(command);
    x_ += 5 * u;
  }
  void step(const char* id, int way, Command command) {
    const float u = look_.unit;
    const char* word = look_.say(Word::transport_step);
    const ImVec2 text = measure(look_.body, word);
    const float width = text.x + 4 * u;
    const Touch mouse = touch(id, {{x_, middle_ - 2 * u}, {x_ + width, middle_ + 2 * u}});
    const ImU32 ink = mouse.is_hovered ? look_.colour.accent : look_.colour.ink;
    arrow({way < 0 ? x_ + u : x_ + width - u, middle_}, static_cast<float>(way), ink);
    write(list_, {way < 0 ? x_ + 2.5f * u : x_ + u / 2, middle_ - text.y / 2}, {look_.body, ink},
          word);
    if (mouse.is_clicked) panel_.actions.emplace_back(command);
    x_ += width + u;
  }
  void play() {
    const float u = look_.unit;
    const bool plays = panel_.model.playback.is_playing;
    const char* word = look_.say(plays ? Word::transport_pause : Word::transport_play);
    const float width = std::max(measure(look_.strong, look_.say(Word::transport_play)).x,
                                 measure(look_.strong, look_.say(Word::transport_pause)).x) +
                        7 * u;
    const Corner box{{x_, middle_ - 2 * u}, {x_ + width, middle_ + 2 * u}};
    const Button button{.id = "play", .label = "", .is_main = true};
    if (draw_button(look_, box, button)) panel_.actions.emplace_back(Command::play_pause);
    const ImU32 ink = look_.colour.is_dark ? look_.colour.page : look_.colour.panel;
    const ImVec2 text = measure(look_.strong, word);
    const float left = x_ + (width - text.x - 2.5f * u) / 2;
    if (plays)
      for (const float bar : {0.f, 0.8f})
        list_.AddRectFilled({left + bar * u, middle_ - 0.75f * u},
                            {left + (bar + 0.45f) * u, middle_ + 0.75f * u}, ink);
    else
      arrow({left + 0.6f * u, middle_}, 1, ink);
    write(list_, {left + 2.2f * u, middle_ - text.y / 2}, {look_.strong, ink}, word);
    x_ += width + u;
  }
  void speed();
  float end() const { return x_; }
  float middle() const { return middle_; }

 private:
  void arrow(ImVec2 at, float way, ImU32 ink) {
    const float u = look_.unit;
    list_.AddTriangleFilled({at.x + way * u * 0.8f, at.y}, {at.x - way * u * 0.6f, at.y - u * 0.9f},
                            {at.x - way * u * 0.6f, at.y + u * 0.9f}, ink);
  }

  const Panel& panel_;
  const Look& look_;
  ImDrawList& list_;
  float x_, middle_;
};

/// `− 1 s shows 100 µs +`: as wide for every speed, so that nothing beside it moves.
void Row::speed() {
  const float u = look_.unit;
  const auto say = [&](const std::string& time) {
    return fmt::format(fmt::runtime(look_.say(Word::transport_speed)), time);
  };
  const float width = measure(look_.body, say("500 µs").c_str()).x;
  const std::string text = say(people(panel_.model.playback.per_second));
  const float height = measure(look_.body, text.c_str()).y;
  const Corner less{{x_, middle_ - 1.5f * u}, {x_ + 3 * u, middle_ + 1.5f * u}};
  const Corner more{{x_ + width + 4 * u, less.min.y}, {x_ + width + 7 * u, less.max.y}};
  if (draw_button(look_, less, {.id = "slower", .label = "–"}))
    panel_.actions.emplace_back(Command::slower);
  write(list_, {x_ + 3.5f * u + width / 2, middle_ - height / 2},
        {look_.body, look_.colour.quiet, 0.5f}, text.c_str());
  if (draw_button(look_, more, {.id = "faster", .label = "+"}))
    panel_.actions.emplace_back(Command::faster);
  x_ = more.max.x + 2 * u;
}

/// Marks where steps end, as long as they can be told apart.
void mark_steps(const Panel& panel, const Corner& track, TimePoint end) {
  constexpr float least_pitch = 6;
  const auto& timeline = *panel.model.run->timeline;
  const float width = track.max.x - track.min.x;
  const auto at = [&](TimePoint t) {
    return track.min.x + width * static_cast<float>(stage::fraction({}, end, t));
  };
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float last = track.min.x;
  for (TimePoint t = timeline.after({}); t < panel.model.run->time(); t = timeline.after(t)) {
    if (at(t) - last < least_pitch) continue;
    last = at(t);
    list.AddLine({last, track.min.y}, {last, track.max.y}, panel.look.colour.edge);
  }
}

void draw_scrub(const Panel& panel, const Corner& area) {
  const Look& look = panel.look;
  const float u = look.unit, y = (area.min.y + area.max.y) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const TimePoint end = stage::end_of(panel.model), now = panel.model.playback.now;
  const std::string left = people(now), right = people(end);
  const float room =
      std::max(measure(look.body, "000.00 µs").x, measure(look.body, right.c_str()).x) + 2.5f * u;
  const float height = measure(look.body, "0").y;
  const Corner track{{area.min.x + room, y - 1.5f * u}, {area.max.x - room, y + 1.5f * u}};
  if (track.max.x - track.min.x < 8 * u) return;
  write(list, {track.min.x - 1.5f * u, y - height / 2}, {look.body, look.colour.ink, 1},
        left.c_str());
  if (!stage::hides_future(panel.model))
    write(list, {track.max.x + 1.5f * u, y - height / 2}, {look.body, look.colour.quiet},
          right.c_str());
  if (panel.model.run && !stage::hides_future(panel.model))
    mark_steps(panel, {{track.min.x, y - u}, {track.max.x, y + u}}, end);
  // The handle stands on the moment itself: no margin within the track, unlike other sliders.
  const Touch mouse = touch("scrub", track);
  const float x =
      track.min.x + (track.max.x - track.min.x) * static_cast<float>(stage::fraction({}, end, now));
  const float thick = u * 0.25f;
  list.AddRectFilled({track.min.x, y - thick}, {track.max.x, y + thick}, look.colour.trough, thick);
  list.AddRectFilled({track.min.x, y - thick}, {x, y + thick}, look.colour.accent, thick);
  list.AddCircleFilled({x, y}, u * (mouse.is_held ? 0.9f : 0.75f), look.colour.ink);
  if (!mouse.is_held) return;
  const double share =
      std::clamp((ImGui::GetIO().MousePos.x - track.min.x) / (track.max.x - track.min.x), 0.f, 1.f);
  panel.actions.emplace_back(
      stage::Seek{{static_cast<std::int64_t>(share * static_cast<double>(end.picoseconds))}});
}

}  // namespace

void draw_transport(const Panel& panel) {
  begin_panel("transport", panel);
  Row row(panel);
  row.jump("start", -1, Command::to_start);
  row.step("back", -1, Command::step_back);
  row.play();
  row.step("forward", 1, Command::step_forward);
  row.jump("end", 1, Command::to_end);
  const float u = panel.look.unit;
  if (panel.max.x - row.end() > 30 * u) row.speed();
  if (panel.model.run)
    draw_scrub(panel, {{row.end(), panel.min.y}, {panel.max.x - u, panel.max.y}});
  end_panel();
}

}  // namespace ringside::panels
