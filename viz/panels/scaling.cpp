// What more GPUs bring: drawn by the student first, then simulated.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/panels/training.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

using sim::Limit;
using sim::ScalingPoint;
using stage::Word;

double percent(Duration part, const ScalingPoint& point) {
  return 100 * part.seconds() / std::max(point.step.time.seconds(), 1e-12);
}

/// Why it bends where it does, in the window's language.
std::string knee_sentence(const Look& look, const sim::ScalingCurve& curve) {
  const auto format = [&](Word word, const auto&... values) {
    return fmt::format(fmt::runtime(look.say(word)), values...);
  };
  if (!curve.knee.point) {
    const auto last = std::find_if(curve.points.rbegin(), curve.points.rend(),
                                   [](const ScalingPoint& point) { return point.runs(); });
    return format(Word::knee_none, last->gpus, 100 * last->efficiency);
  }
  const auto at = *curve.knee.point;
  const ScalingPoint& point = curve.points[at];
  const bool is_last = curve.knee.limit == Limit::memory || curve.knee.limit == Limit::batch;
  if (is_last)
    return format(curve.knee.limit == Limit::memory ? Word::knee_memory : Word::knee_batch,
                  point.gpus, curve.points[at + 1].left_out);
  const auto next = std::find_if(curve.points.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                 curve.points.end(), [](const auto& p) { return p.runs(); });
  if (next == curve.points.end()) return curve.knee.sentence;
  const bool is_bubble = curve.knee.limit == Limit::bubble;
  const auto& shares = next->step.shares;
  const Word word = is_bubble                            ? Word::knee_bubble
                    : curve.knee.limit == Limit::latency ? Word::knee_latency
                                                         : Word::knee_bandwidth;
  return format(word, point.gpus, next->gpus, next->samples_per_second / point.samples_per_second,
                percent(is_bubble ? shares.bubble : shares.exposed, *next));
}

/// Speed-up against GPUs, both doubling: what is ideal is a diagonal.
class Chart {
 public:
  Chart(const Panel& panel, const Corner& area)
      : panel_(panel),
        look_(panel.look),
        model_(panel.model),
        list_(*ImGui::GetWindowDrawList()),
        area_(area),
        counts_(stage::counts_of(panel.model.workload)) {
    const float u = look_.unit, line = measure(look_.small, "0").y;
    field_ = {{area.min.x + measure(look_.small, "1024×").x + 1.5f * u, area.min.y + line + u},
              {area.max.x - 2 * u, area.max.y - line - u}};
    first_ = std::log2(counts_.front());
    last_ = std::max(std::log2(counts_.back()), first_ + 1);
  }

  void draw() {
    axes();
    ideal();
    drawn();
    if (const auto& forecast = model_.forecast;
        model_.drawing.is_compared && forecast && forecast->curve)
      truth(*forecast->curve, forecast->is_complete);
    else
      respond();
    name_ends();
  }

 private:
  struct End {
    ImVec2 at;
    ImU32 colour;
    Word word;
  };
  /// The foot lies below what one replica does: more GPUs can be slower, too.
  double low() const { return first_ - 1; }
  ImVec2 place(double gpus, double speedup) const {
    const double u = (std::log2(gpus) - first_) / (last_ - first_);
    const double v = (std::log2(speedup) - low()) / (last_ - low());
    return {
        field_.min.x + static_cast<float>(std::clamp(u, 0., 1.)) * (field_.max.x - field_.min.x),
        field_.max.y - static_cast<float>(std::clamp(v, 0., 1.)) * (field_.max.y - field_.min.y)};
  }
  double gpus_at(float x) const {
    const double u = std::clamp((x - field_.min.x) / (field_.max.x - field_.min.x), 0.f, 1.f);
    return std::exp2(first_ + u * (last_ - first_));
  }
  double speedup_at(float y) const {
    const double v = std::clamp((field_.max.y - y) / (field_.max.y - field_.min.y), 0.f, 1.f);
    return std::exp2(low() + v * (last_ - low()));
  }

  void axes();
  void ideal();
  void drawn();
  void truth(const sim::ScalingCurve& curve, bool is_complete);
  void knee(const ScalingPoint& point);
  void respond();
  void name_ends();
  void label(ImVec2 at, ImU32 colour, Word word, float align);
  void tip(const sim::ScalingCurve& curve);

  const Panel& panel_;
  const Look& look_;
  const stage::Model& model_;
  ImDrawList& list_;
  Corner area_, field_;
  std::vector<std::uint32_t> counts_;
  double first_ = 0, last_ = 1;  // log2 of GPUs
  std::vector<End> ends_;        // of the curves that are drawn
};

void Chart::axes() {
  const float line = measure(look_.small, "0").y, u = look_.unit;
  write(list_, {field_.min.x, area_.min.y}, {look_.small, look_.colour.quiet},
        look_.say(Word::speedup_against_gpus));
  const double height = (field_.max.y - field_.min.y) / (last_ - low());
  const int every = std::max(1, static_cast<int>(std::ceil((line + 2) / height)));
  for (int power = static_cast<int>(std::ceil(low())); power <= last_ + 1e-9; power += every) {
    const ImVec2 at = place(counts_.front(), std::exp2(power));
    list_.AddLine({field_.min.x, at.y}, {field_.max.x, at.y}, with_alpha(look_.colour.edge, 0.45f));
    write(list_, {at.x - u / 2, at.y - line / 2}, {look_.small, look_.colour.quiet, 1},
          fmt::format("{:.4g}×", std::exp2(power)).c_str());
  }
  float free = area_.min.x;
  for (const std::uint32_t count : counts_) {
    const float x = place(count, 1).x;
    list_.AddLine({x, field_.min.y}, {x, field_.max.y}, with_alpha(look_.colour.edge, 0.3f));
    const std::string text = std::to_string(count);
    const float half = measure(look_.small, text.c_str()).x / 2;
    if (x - half < free || x + half > panel_.max.x) continue;
    free = x + half + u;
    write(list_, {x, field_.max.y + u / 4}, {look_.small, look_.colour.quiet, 0.5f}, text.c_str());
  }
}

void Chart::ideal() {
  const ImVec2 from = place(counts_.front(), counts_.front());
  const ImVec2 to = place(counts_.back(), counts_.back());
  draw_dashes(list_, from, to, {look_.colour.quiet, 1.5f, look_.unit, look_.unit});
  label({to.x - 2 * look_.unit, to.y}, look_.colour.quiet, Word::ideal, 1);
}

void Chart::label(ImVec2 at, ImU32 colour, Word word, float align) {
  const char* text = look_.say(word);
  const ImVec2 size = measure(look_.small, text);
  const float left = at.x - align * size.x;
  list_.AddRectFilled({left - 2, at.y}, {left + size.x + 2, at.y + size.y},
                      with_alpha(look_.colour.page, 0.8f));
  write(list_, at, {look_.small, legible(colour, look_.colour.page), align}, text);
}

void Chart::drawn() {
  const auto& speedup = model_.drawing.speedup;
  if (speedup.empty()) return;
  const float u = look_.unit;
  std::vector<ImVec2> points;
  for (const auto& [gpus, height] : speedup)
    if (std::ranges::count(counts_, gpus) > 0) points.push_back(place(gpus, height));
  if (points.empty()) return;
  list_.AddPolyline(points.data(), static_cast<int>(points.size()), look_.colour.accent, 0,
                    u * 0.35f);
  for (const ImVec2 point : points) list_.AddCircleFilled(point, u * 0.55f, look_.colour.accent);
  ends_.push_back({points.back(), look_.colour.accent, Word::drawn_by_you});
}

/// Curves are named where they end, the upper one above, the other below.
void Chart::name_ends() {
  const float line = measure(look_.small, "0").y, u = look_.unit;
  std::ranges::sort(ends_, {}, [](const End& end) { return end.at.y; });
  for (const End& end : ends_) {
    const bool is_upper = &end == &ends_.front();
    const bool is_right = end.at.x > (field_.min.x + field_.max.x) / 2;
    label({end.at.x, is_upper ? end.at.y - line - u : end.at.y + u}, end.colour, end.word,
          is_right ? 1.f : 0.f);
  }
}

void Chart::truth(const sim::ScalingCurve& curve, bool is_complete) {
  const float u = look_.unit;
  const ImU32 colour =
      is_complete ? look_.colour.good : mixed(look_.colour.good, look_.colour.page, 0.5f);
  std::vector<ImVec2> points;
  for (const ScalingPoint& point : curve.points)
    if (point.runs()) points.push_back(place(point.gpus, point.speedup));
  list_.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, u * 0.35f);
  for (const ImVec2 point : points) list_.AddCircleFilled(point, u * 0.45f, colour);
  if (!points.empty()) ends_.push_back({points.back(), colour, Word::simulated_curve});
  if (curve.knee.point) knee(curve.points[*curve.knee.point]);
  tip(curve);
}

void Chart::knee(const ScalingPoint& point) {
  const ImVec2 at = place(point.gpus, point.speedup);
  draw_dashes(list_, at, {at.x, field_.max.y}, {look_.colour.warn, 1.5f});
  list_.AddCircle(at, look_.unit, look_.colour.warn, 0, look_.unit / 4);
  label({at.x, at.y - measure(look_.small, "0").y - 1.5f * look_.unit}, look_.colour.warn,
        Word::knee_here, 0.5f);
}

/// What the point under the mouse says.
void Chart::tip(const sim::ScalingCurve& curve) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsWindowHovered()) return;
  const ScalingPoint* nearest = nullptr;
  float best = 3 * look_.unit;
  for (const ScalingPoint& point : curve.points) {
    if (!point.runs()) continue;
    const ImVec2 at = place(point.gpus, point.speedup);
    if (const float apart = std::hypot(at.x - mouse.x, at.y - mouse.y); apart < best)
      best = apart, nearest = &point;
  }
  if (nearest == nullptr) return;
  list_.AddCircleFilled(place(nearest->gpus, nearest->speedup), look_.unit * 0.6f,
                        look_.colour.focus);
  const auto& step = nearest->step;
  draw_tip(look_, fmt::format(fmt::runtime(look_.say(Word::point_tip)), nearest->gpus,
                              nearest->speedup, 100 * nearest->efficiency,
                              fmt::format("{:.4g}", nearest->samples_per_second), people(step.time),
                              percent(step.shares.exposed, *nearest),
                              percent(step.shares.bubble, *nearest)));
}

/// The mouse draws while its button is down, wherever it began in the chart.
void Chart::respond() {
  const Touch mouse = touch("draw the curve", field_);
  if (!mouse.is_held) return;
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 before{io.MousePos.x - io.MouseDelta.x, io.MousePos.y - io.MouseDelta.y};
  const bool is_new = ImGui::IsMouseClicked(0);
  const ImVec2 from = is_new ? io.MousePos : before;
  if (!is_new && io.MouseDelta.x == 0 && io.MouseDelta.y == 0) return;
  panel_.actions.emplace_back(stage::Draw{gpus_at(from.x), speedup_at(from.y),
                                          gpus_at(io.MousePos.x), speedup_at(io.MousePos.y)});
}

/// Compare and draw anew; where they end.
float buttons(const Panel& panel, float top) {
  const Look& look = panel.look;
  const float u = look.unit, height = 4 * u;
  float x = panel.min.x + 2 * u;
  const auto add = [&](Word label, stage::Command command, bool is_main) {
    const float width = button_width(look, look.say(label));
    const Button button{.id = stage::say(label, stage::Language::english),
                        .label = look.say(label),
                        .is_main = is_main};
    if (draw_button(look, {{x, top}, {x + width, top + height}}, button))
      panel.actions.emplace_back(command);
    x += width + u;
  };
  const auto& drawing = panel.model.drawing;
  if (!drawing.is_compared) add(Word::compare_now, stage::Command::compare, true);
  if (drawing.is_compared || !drawing.speedup.empty())
    add(Word::draw_anew, stage::Command::redraw, drawing.is_compared);
  return x;
}

/// What is to be done, or what has come out.
std::string words_for(const Panel& panel) {
  const auto& model = panel.model;
  const Look& look = panel.look;
  if (!model.drawing.is_compared) return look.say(Word::draw_first);
  const auto& curve = model.forecast->curve;
  if (!curve) return look.say(Word::being_computed);
  std::string text = knee_sentence(look, *curve);
  if (const auto factor = stage::missed_by(model.drawing, *curve))
    text += (look.language == stage::Language::english ? " " : "") +
            fmt::format(fmt::runtime(look.say(Word::missed_by_factor)), *factor);
  return text;
}

void draw_curve(const Panel& panel, float top) {
  const Look& look = panel.look;
  const float u = look.unit;
  const float left = buttons(panel, top) + u, right = panel.max.x - 2 * u;
  const std::string words = words_for(panel);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = height_of_lines(look.body, right - left, words);
  write_lines(list, {{left, top + std::max(0.f, 2 * u - height / 2)}, {right, panel.max.y}},
              {look.body, look.colour.ink}, words);
  const float under = top + std::max(4 * u, height) + 2 * u;
  Chart(panel, {{panel.min.x + 2 * u, under}, {right, panel.max.y - u}}).draw();
}

}  // namespace

void draw_scaling(const Panel& panel) {
  begin_panel("scaling", panel);
  const float top = draw_training_head(panel);
  const auto& forecast = panel.model.forecast;
  if (!forecast || !forecast->no_curve.empty())
    draw_nothing_to_train(panel, top, forecast ? forecast->no_curve : "");
  else
    draw_curve(panel, top);
  end_panel();
}

}  // namespace ringside::panels
