// One training step: what every stage's GPUs compute and send, and when they wait.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "viz/panels/training.hpp"
#include "viz/panels/widgets.hpp"
#include "viz/stage/space_time.hpp"

namespace ringside::panels {
namespace {

using sim::Activity;
using sim::StepSpan;
using sim::StreamKind;
using stage::Idle;
using stage::StepLane;
using stage::Word;

class Timeline {
 public:
  Timeline(const Panel& panel, const stage::Forecast& forecast, const Corner& area)
      : panel_(panel),
        look_(panel.look),
        forecast_(forecast),
        lanes_(forecast.lanes),
        list_(*ImGui::GetWindowDrawList()),
        area_(area) {
    float names = measure(look_.small, stage_name(0).c_str()).x;
    for (const StepLane& lane : lanes_.lanes)
      names = std::max(names, measure(look_.small, name_of(look_, lane.stream)).x);
    const float line = measure(look_.small, "0").y, u = look_.unit;
    field_ = {{area.min.x + names + 2 * u, area.min.y + line + 1.5f * u}, area.max};
    axis_ = {{{}, lanes_.time}, field_.min.x, field_.max.x};
    lay_out();
  }

  void draw() {
    ruler();
    for (std::size_t i = 0; i < lanes_.lanes.size(); ++i) draw(lanes_.lanes[i], tops_[i]);
    respond();
  }

 private:
  static float weight(const StepLane& lane) { return lane.stream == StreamKind::compute ? 2 : 1; }
  float height(const StepLane& lane) const { return weight(lane) * row_; }
  float x(TimePoint t) const { return static_cast<float>(axis_.x(t)); }
  std::string stage_name(std::uint32_t stage) const;

  void lay_out();
  void ruler();
  void draw(const StepLane& lane, float top);
  void name(const StepLane& lane, float top);
  void bars(const StepLane& lane, const Corner& row);
  void number(const StepSpan& span, const Corner& bar);
  void idle(const Idle& gap, const Corner& row);
  void respond();

  const Panel& panel_;
  const Look& look_;
  const stage::Forecast& forecast_;
  const stage::StepLanes& lanes_;
  ImDrawList& list_;
  Corner area_, field_;
  stage::TimeAxis axis_;
  float row_ = 0;
  std::vector<float> tops_;  // by lane
};

/// `GPUs 0–15`, all of which do the same.
std::string Timeline::stage_name(std::uint32_t stage) const {
  const auto& p = forecast_.step->parallelism;
  const auto each = p.data * p.tensor, first = stage * each;
  if (each == 1) return fmt::format(fmt::runtime(look_.say(Word::one_gpu_of_stage)), first);
  return fmt::format(fmt::runtime(look_.say(Word::gpus_of_stage)), first, first + each - 1);
}

void Timeline::lay_out() {
  const float u = look_.unit, between = 1.5f * u, gap = u / 4;
  float weights = 0, gaps = 0;
  for (std::size_t i = 0; i < lanes_.lanes.size(); ++i) {
    weights += weight(lanes_.lanes[i]);
    if (i == 0) continue;
    gaps += lanes_.lanes[i].stage != lanes_.lanes[i - 1].stage ? between : gap;
  }
  const float room = field_.max.y - field_.min.y;
  const bool crowded = room < gaps + weights * 3;
  row_ = std::clamp((crowded ? room : room - gaps) / std::max(1.f, weights), 1.f, 6 * u);
  float y = field_.min.y;
  for (std::size_t i = 0; i < lanes_.lanes.size(); ++i) {
    const StepLane& lane = lanes_.lanes[i];
    if (i > 0 && !crowded) y += lane.stage != lanes_.lanes[i - 1].stage ? between : gap;
    tops_.push_back(y);
    y += height(lane);
  }
}

void Timeline::ruler() {
  const float foot = tops_.empty() ? field_.max.y : tops_.back() + height(lanes_.lanes.back());
  for (const TimePoint t : stage::round_moments(axis_, 110 * look_.unit / 8)) {
    list_.AddLine({x(t), field_.min.y - 3}, {x(t), foot}, with_alpha(look_.colour.edge, 0.5f));
    const std::string text = people(t);
    const float half = measure(look_.small, text.c_str()).x / 2;
    if (x(t) + half > area_.max.x) continue;
    write(list_, {x(t), area_.min.y}, {look_.small, look_.colour.quiet, 0.5f}, text.c_str());
  }
}

void Timeline::name(const StepLane& lane, float top) {
  const float line = measure(look_.small, "0").y, h = height(lane);
  const bool leads = lane.stream == StreamKind::compute;
  if (h < line * (leads ? 1.f : 0.9f)) return;
  const std::string text = leads ? stage_name(lane.stage) : name_of(look_, lane.stream);
  write(list_, {area_.min.x, top + (h - line) / 2},
        {look_.small, leads ? look_.colour.ink : look_.colour.quiet}, text.c_str());
}

void Timeline::draw(const StepLane& lane, float top) {
  const Corner row{{field_.min.x, top}, {field_.max.x, top + height(lane)}};
  list_.AddRectFilled(row.min, row.max, with_alpha(look_.colour.trough, 0.35f));
  for (const Idle& gap : lane.idle) idle(gap, row);
  bars(lane, row);
  name(lane, top);
}

/// Neighbours of one kind that no pixel tells apart are one bar: a step has thousands.
void Timeline::bars(const StepLane& lane, const Corner& row) {
  constexpr float hair = 0.75f, thin = 2, most_joined = 8;
  for (std::size_t i = 0; i < lane.spans.size();) {
    const StepSpan& span = lane.spans[i];
    const float left = x(span.begin);
    float right = x(span.end);
    std::size_t next = i + 1;
    const auto joins = [&](const StepSpan& other) {
      return other.activity == span.activity && x(other.begin) - right < hair &&
             x(other.end) - x(other.begin) < thin;
    };
    while (right - left < most_joined && next < lane.spans.size() && joins(lane.spans[next]))
      right = x(lane.spans[next++].end);
    const Corner bar{{left, row.min.y}, {std::max(right, left + 1), row.max.y}};
    const ImU32 colour = colour_of(look_, span.activity);
    const bool has_edge = right - left > 4;
    list_.AddRectFilled(bar.min, {bar.max.x - (has_edge ? 1.f : 0.f), bar.max.y}, colour);
    if (next == i + 1) number(span, bar);
    i = next;
  }
}

/// Which micro-batch it is, where there is room.
void Timeline::number(const StepSpan& span, const Corner& bar) {
  if (span.activity == Activity::update || forecast_.step->parallelism.micro_batches == 1) return;
  const std::string text = std::to_string(span.micro_batch);
  const ImVec2 size = measure(look_.small, text.c_str());
  if (size.x + 2 > bar.max.x - bar.min.x || size.y > bar.max.y - bar.min.y + 2) return;
  const ImU32 ground = colour_of(look_, span.activity);
  const ImU32 ink = contrast(IM_COL32_WHITE, ground) > contrast(IM_COL32_BLACK, ground)
                        ? IM_COL32_WHITE
                        : IM_COL32_BLACK;
  write(list_, {(bar.min.x + bar.max.x) / 2, (bar.min.y + bar.max.y - size.y) / 2},
        {look_.small, ink, 0.5f}, text.c_str());
}

/// Exposed communication is barred, a bubble empty with a frame.
void fill_idle(ImDrawList& list, const Look& look, const Corner& box, bool is_exposed) {
  const float inset = 1;
  if (!is_exposed) {
    if (box.max.x - box.min.x > 3)
      list.AddRect({box.min.x + inset, box.min.y + inset}, {box.max.x - inset, box.max.y - inset},
                   look.colour.edge);
    return;
  }
  list.AddRectFilled(box.min, box.max, with_alpha(look.colour.bad, 0.28f));
  hatch(list, box, look.colour.bad, look.unit * 0.75f);
}

void Timeline::idle(const Idle& gap, const Corner& row) {
  const float left = x(gap.begin), right = x(gap.end);
  if (right - left < 0.5f) return;
  fill_idle(list_, look_, {{left, row.min.y}, {right, row.max.y}}, gap.is_exposed);
}

void Timeline::respond() {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsWindowHovered() || mouse.x < field_.min.x || mouse.x > field_.max.x) return;
  const TimePoint t = axis_.at(mouse.x);
  const auto covers = [&](const auto& what) { return what.begin <= t && t < what.end; };
  for (std::size_t i = 0; i < lanes_.lanes.size(); ++i) {
    const StepLane& lane = lanes_.lanes[i];
    if (mouse.y < tops_[i] || mouse.y >= tops_[i] + height(lane)) continue;
    if (const auto span = std::ranges::find_if(lane.spans, covers); span != lane.spans.end())
      draw_tip(look_, fmt::format(fmt::runtime(look_.say(Word::span_tip)),
                                  name_of(look_, span->activity), span->micro_batch,
                                  people(span->end - span->begin), people(span->begin)));
    else if (const auto gap = std::ranges::find_if(lane.idle, covers); gap != lane.idle.end())
      draw_tip(look_, fmt::format(fmt::runtime(look_.say(Word::idle_tip)),
                                  look_.say(gap->is_exposed ? Word::exposed : Word::bubble),
                                  people(gap->end - gap->begin), people(gap->begin)));
  }
}

/// What the colours mean: those that are there. Returns its height; draws only if `list` is given.
float legend(const Look& look, const stage::StepLanes& lanes, const Corner& area,
             ImDrawList* list) {
  std::array<bool, sim::activity_count> is_there{};
  bool has_exposed = false, has_bubble = false;
  for (const StepLane& lane : lanes.lanes) {
    for (const StepSpan& span : lane.spans)
      is_there[static_cast<std::size_t>(span.activity)] = true;
    for (const Idle& gap : lane.idle) (gap.is_exposed ? has_exposed : has_bubble) = true;
  }
  const float u = look.unit, line = measure(look.small, "0").y, swatch = 2 * u;
  float left = area.min.x, y = area.min.y;
  const auto add = [&](const char* words, const auto& fill) {
    const float width = swatch + u / 2 + measure(look.small, words).x + 2 * u;
    if (left > area.min.x && left + width > area.max.x) left = area.min.x, y += line + u / 2;
    if (list != nullptr) {
      fill(Corner{{left, y + line * 0.15f}, {left + swatch, y + line * 0.85f}});
      write(*list, {left + swatch + u / 2, y}, {look.small, look.colour.quiet}, words);
    }
    left += width;
  };
  for (std::size_t i = 0; i < sim::activity_count; ++i)
    if (is_there[i])
      add(name_of(look, static_cast<Activity>(i)), [&](const Corner& box) {
        list->AddRectFilled(box.min, box.max, colour_of(look, static_cast<Activity>(i)));
      });
  if (has_exposed)
    add(look.say(Word::exposed), [&](const Corner& box) { fill_idle(*list, look, box, true); });
  if (has_bubble)
    add(look.say(Word::bubble), [&](const Corner& box) { fill_idle(*list, look, box, false); });
  return y + line - area.min.y;
}

/// The figures beside the lanes, from top to bottom.
class Figures {
 public:
  Figures(const Look& look, const stage::Forecast& forecast, const Corner& area)
      : look_(look),
        forecast_(forecast),
        list_(*ImGui::GetWindowDrawList()),
        area_(area),
        y_(area.min.y) {}

  void draw() {
    const auto& point = *forecast_.step;
    const auto& step = point.step;
    figure(Word::step_time, people(step.time), look_.title);
    shares(step);
    figure(Word::samples_per_second, fmt::format("{:.4g}", point.samples_per_second), look_.strong);
    figure(Word::communication_in_all, people(step.communication), look_.strong);
    Bytes sent{};
    for (const Bytes one : step.sent) sent += one;
    figure(Word::sent_by_gpu, people(sent), look_.strong);
    memory(point.memory);
  }

 private:
  void figure(Word label, const std::string& value, ImFont* font) {
    const float line = measure(look_.small, "0").y;
    if (y_ + line + measure(font, "0").y > area_.max.y) return;
    write(list_, {area_.min.x, y_}, {look_.small, look_.colour.quiet},
          shortened(look_.small, area_.max.x - area_.min.x, look_.say(label)).c_str());
    y_ += line;
    y_ += write(list_, {area_.min.x, y_}, {font, look_.colour.ink}, value.c_str()).y + look_.unit;
  }
  void shares(const sim::TrainingStep& step);
  void memory(const sim::MemoryUse& use);
  /// A bar's part of `share`, from where the last ended.
  float part(float left, double share, const auto& fill) const {
    const float width = (area_.max.x - area_.min.x) * static_cast<float>(std::clamp(share, 0., 1.));
    const Corner box{{left, y_}, {std::min(left + width, area_.max.x), y_ + 1.75f * look_.unit}};
    if (width >= 0.5f) fill(box);
    return box.max.x;
  }

  const Look& look_;
  const stage::Forecast& forecast_;
  ImDrawList& list_;
  Corner area_;
  float y_;
};

/// Computing, exposed communication and bubble: a bar, and what each is of the step.
void Figures::shares(const sim::TrainingStep& step) {
  const float u = look_.unit, line = measure(look_.small, "0").y;
  if (y_ + 3 * line + 3 * u > area_.max.y) return;
  const double all = std::max(step.time.seconds(), 1e-12);
  const auto computing = [&](const Corner& box) {
    list_.AddRectFilled(box.min, box.max, colour_of(look_, Activity::backward));
  };
  const auto waiting = [&](const Corner& box) { fill_idle(list_, look_, box, true); };
  const auto idle = [&](const Corner& box) { fill_idle(list_, look_, box, false); };
  const struct {
    Word word;
    Duration time;
    std::function<void(const Corner&)> fill;
  } parts[] = {{Word::compute_share, step.shares.compute, computing},
               {Word::exposed, step.shares.exposed, waiting},
               {Word::bubble, step.shares.bubble, idle}};
  float left = area_.min.x;
  for (const auto& one : parts) left = part(left, one.time.seconds() / all, one.fill);
  y_ += 2.25f * u;
  for (const auto& one : parts) {
    one.fill({{area_.min.x, y_ + line * 0.15f}, {area_.min.x + 2 * u, y_ + line * 0.85f}});
    const std::string share = fmt::format("{:.1f} %", 100 * one.time.seconds() / all);
    const float room = area_.max.x - area_.min.x - 3 * u - measure(look_.small, share.c_str()).x;
    write(list_, {area_.min.x + 2.5f * u, y_}, {look_.small, look_.colour.quiet},
          shortened(look_.small, room, look_.say(one.word)).c_str());
    write(list_, {area_.max.x, y_}, {look_.small, look_.colour.ink, 1}, share.c_str());
    y_ += line + u / 4;
  }
  y_ += u;
}

void Figures::memory(const sim::MemoryUse& use) {
  const Bytes total = use.total();
  const std::string text = fmt::format(fmt::runtime(look_.say(Word::of_memory)), people(total),
                                       people(forecast_.gpu_memory));
  if (y_ + 4 * look_.unit + measure(look_.small, "0").y > area_.max.y) return;
  figure(Word::memory_of_gpu, text, look_.strong);
  y_ -= look_.unit / 2;
  const Corner trough{{area_.min.x, y_}, {area_.max.x, y_ + 1.25f * look_.unit}};
  const double share = static_cast<double>(total.count) /
                       std::max(1., static_cast<double>(forecast_.gpu_memory.count));
  const float width = (trough.max.x - trough.min.x) * static_cast<float>(std::min(share, 1.));
  list_.AddRectFilled(trough.min, trough.max, look_.colour.trough, look_.unit / 2);
  list_.AddRectFilled(trough.min, {trough.min.x + width, trough.max.y},
                      share > 1 ? look_.colour.bad : look_.colour.accent, look_.unit / 2);
}

void draw_step(const Panel& panel, const stage::Forecast& forecast, float top) {
  const Look& look = panel.look;
  const float u = look.unit, figures = 36 * u;
  Corner area{{panel.min.x + 2 * u, top + u}, {panel.max.x - 2 * u, panel.max.y - u}};
  if (area.max.x - area.min.x > 2.5f * figures) {
    Figures(look, forecast, {{area.max.x - figures, area.min.y}, area.max}).draw();
    area.max.x -= figures + 3 * u;
  }
  const float words = legend(look, forecast.lanes, area, nullptr);
  ImDrawList* list = ImGui::GetWindowDrawList();
  legend(look, forecast.lanes, {{area.min.x, area.max.y - words}, area.max}, list);
  area.max.y -= words + 2 * u;
  Timeline(panel, forecast, area).draw();
}

}  // namespace

void draw_training_step(const Panel& panel) {
  begin_panel("training_step", panel);
  const float top = draw_training_head(panel);
  const auto& forecast = panel.model.forecast;
  if (!forecast || !forecast->step)
    draw_nothing_to_train(panel, top, forecast ? forecast->no_step : "");
  else
    draw_step(panel, *forecast, top);
  end_panel();
}

}  // namespace ringside::panels
