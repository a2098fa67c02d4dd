#include "viz/panels/training.hpp"

#include <fmt/format.h>

#include <array>
#include <tuple>

#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

using stage::Command;
using stage::Word;

constexpr std::array<Word, sim::activity_count> activities{
    Word::activity_forward,          Word::activity_recompute,
    Word::activity_backward,         Word::activity_update,
    Word::activity_tensor_reduce,    Word::activity_expert_exchange,
    Word::activity_gradient_reduce,  Word::activity_parameter_gather,
    Word::activity_send_activations, Word::activity_send_gradients};
constexpr std::array<Word, sim::stream_count> streams{Word::stream_compute, Word::stream_layers,
                                                      Word::stream_replicas, Word::stream_next,
                                                      Word::stream_previous};

/// How the step, or the curve, is spread; empty while that is not known.
std::string split(const Look& look, const stage::Model& model) {
  const auto& [step, curve] = std::tie(model.forecast->step, model.forecast->curve);
  if (model.view == stage::Model::View::training_step) {
    if (!step) return "";
    const auto& p = step->parallelism;
    return fmt::format(fmt::runtime(look.say(Word::split_of)), step->gpus, model.forecast->gpu,
                       p.data, p.tensor, p.pipeline, p.micro_batches, p.zero);
  }
  if (!curve) return "";
  const auto& p = curve->points.front().parallelism;
  return fmt::format(fmt::runtime(look.say(Word::split_of_curve)), model.forecast->gpu, p.tensor,
                     p.pipeline, model.workload.batch, p.zero);
}

/// What the small training does; empty while that is not known.
std::string practice(const Look& look, const stage::Model& model) {
  if (!model.practice || !model.practice->refusal.empty()) return "";
  const auto& run = model.practice->run;
  const auto& asked = run.asked;
  return fmt::format(fmt::runtime(look.say(Word::practice_of)), training::name(asked.task),
                     run.weights, asked.workers, asked.batch(), asked.learning_rate,
                     asked.algorithm);
}

/// `gpt2-xl`, then how it is spread over what: as much as there is room for.
void summary(const Panel& panel, float left, float right, float y) {
  const Look& look = panel.look;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto& model = panel.model;
  const bool is_practice = model.view == stage::Model::View::loss;
  const auto& title = is_practice ? model.workload.network : model.workload.model;
  const ImVec2 name = write(list, {left, y}, {look.strong, look.colour.ink},
                            shortened(look.strong, right - left, title).c_str());
  const std::string text = is_practice      ? practice(look, model)
                           : model.forecast ? split(look, model)
                                            : "";
  left += name.x + 2 * look.unit;
  write(list, {left, y}, {look.body, look.colour.quiet},
        shortened(look.body, right - left, text).c_str());
}

}  // namespace

ImU32 colour_of(const Look& look, sim::Activity activity) {
  // Chunk colours by their places in Okabe and Ito's list.
  constexpr std::array<std::uint32_t, sim::activity_count> hues{1, 1, 4, 7, 6, 6, 0, 3, 2, 2};
  const ImU32 hue = chunk_colour({hues[static_cast<std::size_t>(activity)]});
  switch (activity) {
    case sim::Activity::recompute:
    case sim::Activity::expert_exchange:
    case sim::Activity::send_gradients:
      return mixed(hue, look.colour.page, 0.45f);
    default:
      return hue;
  }
}

const char* name_of(const Look& look, sim::Activity activity) {
  return look.say(activities[static_cast<std::size_t>(activity)]);
}

const char* name_of(const Look& look, sim::StreamKind stream) {
  return look.say(streams[static_cast<std::size_t>(stream)]);
}

float draw_training_head(const Panel& panel) {
  const Look& look = panel.look;
  const float u = look.unit, height = 4 * u;
  const float top = panel.min.y + u, right = panel.max.x - 2 * u;
  float x = panel.min.x + 2 * u;
  const auto tab = [&](Word label, Command command, bool is_on) {
    const float width = button_width(look, look.say(label));
    if (x + width > right) return;
    const Button button{.id = stage::say(label, stage::Language::english),
                        .label = look.say(label),
                        .is_on = is_on};
    if (draw_button(look, {{x, top}, {x + width, top + height}}, button) && !is_on)
      panel.actions.emplace_back(command);
    x += width + u / 2;
  };
  using View = stage::Model::View;
  const View view = panel.model.view;
  tab(Word::training_step, Command::training_step, view == View::training_step);
  tab(Word::scaling_curve, Command::scaling, view == View::scaling);
  tab(Word::loss_curve, Command::loss, view == View::loss);
  const char* back = look.say(Word::back_to_run);
  const float width = button_width(look, back);
  if (right - width > x) {
    const Button button{.id = "back to the run", .label = back};
    if (draw_button(look, {{right - width, top}, {right, top + height}}, button))
      panel.actions.emplace_back(view == View::scaling ? Command::scaling
                                 : view == View::loss  ? Command::loss
                                                       : Command::training_step);
  }
  const float y = top + height + u;
  summary(panel, panel.min.x + 2 * u, right, y);
  return y + measure(look.strong, "0").y + u;
}

void draw_nothing_to_train(const Panel& panel, float top, const std::string& why) {
  const Look& look = panel.look;
  const float u = look.unit;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  Corner box{{panel.min.x + 2 * u, top + 2 * u}, {panel.max.x - 2 * u, panel.max.y - u}};
  if (why.empty()) {
    write(list, box.min, {look.body, look.colour.quiet}, look.say(Word::being_computed));
    return;
  }
  write(list, box.min, {look.strong, look.colour.warn}, look.say(Word::no_step));
  box.min.y += measure(look.strong, "0").y + u;
  write_lines(list, box, {look.body, look.colour.warn}, why);
}

}  // namespace ringside::panels
