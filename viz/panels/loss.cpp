// A small training that was done here: does it learn, and do the workers stay equal?

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/panels/training.hpp"
#include "viz/panels/widgets.hpp"
#include "viz/stage/practice.hpp"

namespace ringside::panels {
namespace {

using stage::Word;
using training::StepResult;
using training::TrainingRun;

template <typename... Values>
std::string format(const Look& look, Word word, const Values&... values) {
  return fmt::format(fmt::runtime(look.say(word)), values...);
}

struct Curve {
  ImU32 colour;
  Word word;
  std::vector<double> values;  ///< by step
};

/// Each value with its neighbours' mean: what a curve of small batches hides.
std::vector<double> smoothed(const std::vector<double>& values) {
  const std::size_t reach = values.size() / 40;
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i < reach ? 0 : i - reach;
    const std::size_t to = std::min(values.size(), i + reach + 1);
    double sum = 0;
    for (std::size_t k = from; k < to; ++k) sum += values[k];
    out[i] = sum / static_cast<double>(to - from);
  }
  return out;
}

/// Values by step, from 0 up to the largest.
class StepChart {
 public:
  StepChart(const Look& look, const Corner& area, double most)
      : look_(look), list_(*ImGui::GetWindowDrawList()), most_(most) {
    const float u = look.unit, line = measure(look.small, "0").y;
    top_ = area.min;
    field_ = {{area.min.x + measure(look.small, "0.000").x + u, area.min.y + line + u},
              {area.max.x - u, area.max.y - line - u / 2}};
  }

  void axes(Word title, std::size_t steps) {
    const float u = look_.unit, line = measure(look_.small, "0").y;
    write(list_, top_, {look_.small, look_.colour.quiet}, look_.say(title));
    for (int part = 0; part <= 2; ++part) {
      const float y = field_.max.y - (field_.max.y - field_.min.y) * static_cast<float>(part) / 2;
      list_.AddLine({field_.min.x, y}, {field_.max.x, y}, with_alpha(look_.colour.edge, 0.45f));
      write(list_, {field_.min.x - u / 2, y - line / 2}, {look_.small, look_.colour.quiet, 1},
            fmt::format("{:.3g}", most_ * part / 2).c_str());
    }
    write(list_, {field_.min.x, field_.max.y + u / 4}, {look_.small, look_.colour.quiet}, "1");
    write(list_, {field_.max.x, field_.max.y + u / 4}, {look_.small, look_.colour.quiet, 1},
          std::to_string(steps).c_str());
  }

  void line(const std::vector<double>& values, ImU32 colour, float thickness) {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < values.size(); ++i) points.push_back(place(i, values));
    list_.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, thickness);
  }

  /// A stroke of each curve's colour and its name, from the right end of the title's line.
  void legend(const std::vector<Curve>& curves) {
    const float u = look_.unit, line = measure(look_.small, "0").y;
    float right = field_.max.x;
    for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve) {
      const ImU32 ink = legible(curve->colour, look_.colour.page);
      right -= write(list_, {right, top_.y}, {look_.small, ink, 1}, look_.say(curve->word)).x + u;
      list_.AddLine({right - 2 * u, top_.y + line / 2}, {right, top_.y + line / 2}, curve->colour,
                    u * 0.35f);
      right -= 4 * u;
    }
  }

 private:
  ImVec2 place(std::size_t step, const std::vector<double>& values) const {
    const double across =
        values.size() < 2 ? 0 : static_cast<double>(step) / static_cast<double>(values.size() - 1);
    const double up = std::isfinite(values[step]) ? std::clamp(values[step] / most_, 0., 1.) : 1;
    return {field_.min.x + static_cast<float>(across) * (field_.max.x - field_.min.x),
            field_.max.y - static_cast<float>(up) * (field_.max.y - field_.min.y)};
  }

  const Look& look_;
  ImDrawList& list_;
  ImVec2 top_{};
  Corner field_;
  double most_;
};

template <typename Value>
std::vector<double> by_step(const TrainingRun& run, Value value) {
  std::vector<double> values;
  for (const StepResult& step : run.steps) values.push_back(value(step));
  return values;
}

/// A scale that a wild curve does not take for itself: twice what one worker's loss has at most.
double scale_of(const std::vector<Curve>& curves) {
  const double one = std::ranges::max(curves.back().values);
  double most = one;
  for (const double value : curves.front().values)
    if (std::isfinite(value)) most = std::max(most, value);
  return std::min(most, 2 * one);
}

/// The next of 1, 2, 5, 10, ... above: an axis that can be read.
double rounded_up(double most) {
  const double power = std::pow(10., std::floor(std::log10(std::max(most, 1e-9))));
  for (const double digit : {1., 2., 5.})
    if (most <= digit * power) return digit * power;
  return 10 * power;
}

void draw_losses(const Look& look, const Corner& area, const TrainingRun& run) {
  const std::vector<Curve> curves{
      {look.colour.accent, Word::loss_of_workers,
       by_step(run, [](const StepResult& step) { return step.loss; })},
      {look.colour.warn, Word::loss_of_one, by_step(run, [](const StepResult& step) {
         return step.compared ? step.compared->loss : step.loss;
       })}};
  StepChart chart(look, area, rounded_up(scale_of(curves)));
  chart.axes(Word::loss_by_step, run.steps.size());
  chart.legend(curves);
  for (const Curve& curve : curves)
    chart.line(curve.values, with_alpha(curve.colour, 0.3f), look.unit * 0.2f);
  // The workers' lie on top, narrow enough to leave one like it to be seen.
  chart.line(smoothed(curves[1].values), curves[1].colour, look.unit * 0.8f);
  chart.line(smoothed(curves[0].values), curves[0].colour, look.unit * 0.3f);
}

void draw_apart(const Look& look, const Corner& area, const TrainingRun& run) {
  const auto values = by_step(run, [](const StepResult& step) { return step.apart; });
  const double most = std::ranges::max(values);
  StepChart chart(look, area, rounded_up(most > 0 ? most : 1));
  chart.axes(Word::apart_by_step, run.steps.size());
  chart.line(values, most > 0 ? look.colour.bad : look.colour.good, look.unit * 0.4f);
}

struct Verdict {
  bool is_right;
  std::string text;
};

std::vector<Verdict> verdicts(const Look& look, const TrainingRun& run) {
  std::vector<Verdict> all;
  const auto& steps = run.steps;
  if (run.replicas_identical())
    all.push_back({true, format(look, Word::replicas_same, steps.size())});
  else
    all.push_back({false, format(look, Word::replicas_differ, steps.front().apart,
                                 steps.back().apart, steps.size())});
  const auto& first = steps.front().compared;
  if (run.equals_one_worker())
    all.push_back({true, look.say(Word::as_one_worker)});
  else if (first)
    all.push_back(
        {false, format(look, Word::not_as_one_worker, 100 * first->relative, first->length)});
  if (run.asked.way == training::Way::average_losses && run.equals_one_worker())
    all.push_back({false, look.say(Word::even_hides_it)});
  return all;
}

/// What came out, a line each; where it ends.
float write_verdicts(const Look& look, const Corner& box, const TrainingRun& run) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  float y = box.min.y;
  const auto say = [&](ImU32 colour, const std::string& text) {
    y += write_lines(list, {{box.min.x, y}, box.max}, {look.body, colour}, text) + look.unit / 2;
  };
  for (const Verdict& verdict : verdicts(look, run)) {
    const ImU32 colour = verdict.is_right ? look.colour.good : look.colour.bad;
    say(legible(colour, look.colour.page), verdict.text);
  }
  say(look.colour.ink, format(look, Word::answers_right, 100 * run.answers_right));
  return y;
}

}  // namespace

void draw_loss(const Panel& panel) {
  begin_panel("loss", panel);
  const Look& look = panel.look;
  const float u = look.unit;
  const float top = draw_training_head(panel) + u;
  const auto& practice = panel.model.practice;
  if (!practice || !practice->refusal.empty()) {
    draw_nothing_to_train(panel, top, practice ? practice->refusal : "");
  } else {
    const float left = panel.min.x + 2 * u, right = panel.max.x - 2 * u;
    const float under = write_verdicts(look, {{left, top}, {right, panel.max.y}}, practice->run);
    const float room = panel.max.y - under - 3 * u;
    const float middle = under + u + room * 0.66f;
    draw_losses(look, {{left, under + u}, {right, middle}}, practice->run);
    draw_apart(look, {{left, middle + 2 * u}, {right, panel.max.y - u}}, practice->run);
  }
  end_panel();
}

}  // namespace ringside::panels
