// A curve that is drawn before the true one is shown.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lessons/course/amount.hpp"
#include "viz/panels/lesson_board.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Word;

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Both axes by logarithm, with room above and below what is true.
class Board {
 public:
  explicit Board(const Panel& panel)
      : panel_(panel),
        look_(panel.look),
        lesson_(*panel.model.lesson),
        asked_(*lesson_.asked()),
        list_(*ImGui::GetWindowDrawList()) {
    const auto [low, high] = std::ranges::minmax(asked_.curve, {}, &lessons::CurvePoint::y);
    bottom_ = std::floor(std::log2(std::max(low.y, 1e-300)) - 1);
    top_ = std::ceil(std::log2(std::max(high.y, 1e-300)) + 1);
    first_ = std::log2(asked_.curve.front().x);
    last_ = std::max(std::log2(asked_.curve.back().x), first_ + 0.1);
    const float u = look_.unit, line = measure(look_.small, "0").y;
    float widest = 0;
    for (int power = static_cast<int>(bottom_); power <= static_cast<int>(top_); ++power)
      widest = std::max(widest, measure(look_.small, label(power).c_str()).x);
    field_ = {{panel.min.x + widest + 4 * u, panel.min.y + 3 * u},
              {panel.max.x - 4 * u, panel.max.y - line - 3 * u}};
  }

  void draw() {
    axes();
    if (!lesson_.is_shut() && !lesson_.is_covered) {
      std::vector<ImVec2> truth;
      for (const auto& point : asked_.curve) truth.push_back(place(point.x, point.y));
      curve(truth, look_.colour.good, Word::truth_of_draw);
    }
    curve(drawn(), look_.colour.accent, Word::drawn_by_you);
    if (lesson_.is_asking()) respond();
  }

 private:
  std::string label(double power) const {
    return lessons::show(std::exp2(power), asked_.curve_unit);
  }
  ImVec2 place(double x, double y) const {
    const double u = (std::log2(x) - first_) / (last_ - first_);
    const double v =
        std::clamp((std::log2(std::max(y, 1e-300)) - bottom_) / (top_ - bottom_), 0., 1.);
    return {field_.min.x + static_cast<float>(u) * (field_.max.x - field_.min.x),
            field_.max.y - static_cast<float>(v) * (field_.max.y - field_.min.y)};
  }
  double x_at(float x) const {
    const double u = std::clamp((x - field_.min.x) / (field_.max.x - field_.min.x), 0.f, 1.f);
    return std::exp2(first_ + u * (last_ - first_));
  }
  double y_at(float y) const {
    const double v = std::clamp((field_.max.y - y) / (field_.max.y - field_.min.y), 0.f, 1.f);
    return std::exp2(bottom_ + v * (top_ - bottom_));
  }
  std::vector<ImVec2> drawn() const {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < asked_.curve.size() && i < lesson_.entries.size(); ++i)
      if (const double y = number_of(lesson_.entries[i]); y > 0)
        points.push_back(place(asked_.curve[i].x, y));
    return points;
  }
  void axes();
  void curve(const std::vector<ImVec2>& points, ImU32 colour, Word name);
  void respond();

  const Panel& panel_;
  const Look& look_;
  const stage::LessonState& lesson_;
  const lessons::Asked& asked_;
  ImDrawList& list_;
  Corner field_;
  double first_, last_, bottom_, top_;  // log2
};

void Board::axes() {
  const float line = measure(look_.small, "0").y, u = look_.unit;
  list_.AddRectFilled(field_.min, field_.max, with_alpha(look_.colour.trough, 0.25f));
  const double height = (field_.max.y - field_.min.y) / (top_ - bottom_);
  const int every = std::max(1, static_cast<int>(std::ceil((line + u) / height)));
  for (int power = static_cast<int>(bottom_); power <= static_cast<int>(top_); power += every) {
    const ImVec2 at = place(asked_.curve.front().x, std::exp2(power));
    list_.AddLine({field_.min.x, at.y}, {field_.max.x, at.y}, with_alpha(look_.colour.edge, 0.5f));
    write(list_, {field_.min.x - u, at.y - line / 2}, {look_.small, look_.colour.quiet, 1},
          label(power).c_str());
  }
  float free = panel_.min.x;
  for (const auto& point : asked_.curve) {
    const float x = place(point.x, 1).x;
    list_.AddLine({x, field_.min.y}, {x, field_.max.y}, with_alpha(look_.colour.edge, 0.4f));
    const std::string text = lessons::show(point.x, lessons::Unit::none);
    const float half = measure(look_.small, text.c_str()).x / 2;
    if (x - half < free || x + half > panel_.max.x) continue;
    free = x + half + u;
    write(list_, {x, field_.max.y + u / 2}, {look_.small, look_.colour.quiet, 0.5f}, text.c_str());
  }
}

void Board::curve(const std::vector<ImVec2>& points, ImU32 colour, Word name) {
  if (points.empty()) return;
  const float u = look_.unit;
  list_.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, u * 0.35f);
  for (const ImVec2 point : points) list_.AddCircleFilled(point, u * 0.5f, colour);
  const char* words = look_.say(name);
  const ImVec2 size = measure(look_.small, words);
  const bool is_truth = name == Word::truth_of_draw;
  const ImVec2 at{std::min(points.back().x, field_.max.x) - size.x,
                  points.back().y + (is_truth ? -size.y - u : u)};
  list_.AddRectFilled({at.x - 2, at.y}, {at.x + size.x + 2, at.y + size.y},
                      with_alpha(look_.colour.page, 0.8f));
  write(list_, at, {look_.small, legible(colour, look_.colour.page)}, words);
}

/// The mouse draws while its button is down.
void Board::respond() {
  const Touch mouse = touch("draw the answer", field_);
  if (!mouse.is_held) return;
  const ImGuiIO& io = ImGui::GetIO();
  const bool is_new = ImGui::IsMouseClicked(0);
  if (!is_new && io.MouseDelta.x == 0 && io.MouseDelta.y == 0) return;
  const ImVec2 from =
      is_new ? io.MousePos
             : ImVec2{io.MousePos.x - io.MouseDelta.x, io.MousePos.y - io.MouseDelta.y};
  panel_.actions.emplace_back(
      stage::Draw{x_at(from.x), y_at(from.y), x_at(io.MousePos.x), y_at(io.MousePos.y)});
}

}  // namespace

void draw_curve_board(const Panel& panel) {
  if (!panel.model.lesson->asked()->curve.empty()) Board(panel).draw();
}

}  // namespace ringside::panels::detail
