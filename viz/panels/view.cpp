#include "viz/panels/view.hpp"

#include "viz/panels/arrangement.hpp"
#include "viz/panels/lesson_board.hpp"
#include "viz/panels/panel.hpp"

namespace ringside::panels {
namespace {

/// What is behind every panel, on a window cleared with Palette::panel: what is painted twice costs
/// twice.
void draw_ground(const Arrangement& at, const Look& look) {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  list.AddRectFilled(at.stage.min, at.stage.max, look.colour.page);
  for (const Corner& under : {at.toolbar, at.numbers, at.buffers})
    list.AddLine({under.min.x, under.max.y}, under.max, look.colour.faint);
  list.AddLine(at.transport.min, {at.transport.max.x, at.transport.min.y}, look.colour.faint);
  for (const float x : {at.stage.min.x, at.stage.max.x})
    list.AddLine({x, at.stage.min.y}, {x, at.stage.max.y}, look.colour.faint);
}

/// What was under the mouse is not any more: the mouse has left for where nothing can be lit up.
bool has_left(const stage::Model& model, const Arrangement& at) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (model.hover == stage::Pick{} || !ImGui::IsMousePosValid(&mouse)) return false;
  for (const Corner& area : {at.stage, at.buffers, at.side, at.space_time})
    if (mouse.x >= area.min.x && mouse.x < area.max.x && mouse.y >= area.min.y &&
        mouse.y < area.max.y)
      return false;
  return true;
}

/// What stands beside a lesson: what its beat asks for, as far as it gives no answer away.
LessonShape shape_of(const stage::Model& model, const Look& look) {
  using stage::looks;
  const bool is_open = !stage::hides_future(model);
  const bool is_run = model.view == stage::Model::View::run && !has_board(model);
  LessonShape shape;
  shape.controls = lesson_controls_height(model, look) / look.unit;
  shape.has_buffers = is_run && looks(model, "values");
  shape.has_side =
      is_run && is_open &&
      (looks(model, "busbw") || looks(model, "curves") || looks(model, "addition_tree"));
  shape.has_numbers = is_run && is_open && (shape.has_buffers || shape.has_side);
  shape.has_time = is_run;
  return shape;
}

Arrangement arranged(const stage::Model& model, ImVec2 window, const Look& look) {
  if (model.lesson) return arrange_lesson(window, look.unit, shape_of(model, look));
  if (model.view != stage::Model::View::run) return arrange_training(window, look.unit);
  return arrange(window, look.unit, model.side);
}

using Draw = void (*)(const Panel&);
Draw middle_of(const stage::Model& model) {
  using View = stage::Model::View;
  if (has_board(model)) return draw_lesson_board;
  if (model.view == View::training_step) return draw_training_step;
  if (model.view == View::scaling) return draw_scaling;
  if (model.view == View::loss) return draw_loss;
  return model.rival_scenario ? draw_race : draw_stage;
}

}  // namespace

void draw_view(const stage::Model& model, const Look& look, std::vector<stage::Action>& actions) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  if (model.is_blank) {
    ImGui::GetBackgroundDrawList()->AddRectFilled({0, 0}, window, IM_COL32_BLACK);
    return;
  }
  const Arrangement at = arranged(model, window, look);
  draw_ground(at, look);
  const auto draw = [&](void (*panel)(const Panel&), const Corner& area) {
    if (is_shown(area)) panel({model, look, area.min, area.max, actions});
  };
  draw(draw_toolbar, at.toolbar);
  draw(draw_lesson, at.lesson);
  draw(model.lesson ? draw_lesson_controls : draw_controls, at.controls);
  draw(middle_of(model), at.stage);
  draw(draw_numbers, at.numbers);
  draw(draw_buffers, at.buffers);
  draw(model.side == stage::Model::Side::addition_tree ? draw_addition_tree : draw_curves, at.side);
  draw(draw_transport, at.transport);
  draw(draw_space_time, at.space_time);
  if (model.shows_lessons) draw(draw_lessons, {{0, 0}, window});
  if (model.shows_menu) draw(draw_menu, {{0, 0}, window});
  if (has_left(model, at)) actions.emplace_back(stage::Hover{});
  if (model.shows_help) draw(draw_help, {{0, 0}, window});
}

}  // namespace ringside::panels
