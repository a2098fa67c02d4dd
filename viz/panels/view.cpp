#include "viz/panels/view.hpp"

#include "viz/panels/arrangement.hpp"
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

}  // namespace

void draw_view(const stage::Model& model, const Look& look, std::vector<stage::Action>& actions) {
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  if (model.is_blank) {
    ImGui::GetBackgroundDrawList()->AddRectFilled({0, 0}, window, IM_COL32_BLACK);
    return;
  }
  using View = stage::Model::View;
  const bool is_training = model.view != View::run;
  const Arrangement at =
      is_training ? arrange_training(window, look.unit) : arrange(window, look.unit, model.side);
  draw_ground(at, look);
  const auto draw = [&](void (*panel)(const Panel&), const Corner& area) {
    if (is_shown(area)) panel({model, look, area.min, area.max, actions});
  };
  draw(draw_toolbar, at.toolbar);
  draw(draw_controls, at.controls);
  draw(model.view == View::training_step ? draw_training_step
       : model.view == View::scaling     ? draw_scaling
       : model.rival_scenario            ? draw_race
                                         : draw_stage,
       at.stage);
  draw(draw_numbers, at.numbers);
  draw(draw_buffers, at.buffers);
  draw(model.side == stage::Model::Side::addition_tree ? draw_addition_tree : draw_curves, at.side);
  draw(draw_transport, at.transport);
  draw(draw_space_time, at.space_time);
  if (model.shows_menu) draw(draw_menu, {{0, 0}, window});
  if (has_left(model, at)) actions.emplace_back(stage::Hover{});
  if (model.shows_help) draw(draw_help, {{0, 0}, window});
}

}  // namespace ringside::panels
