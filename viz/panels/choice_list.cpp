#include "viz/panels/choice_list.hpp"

#include <algorithm>

#include "viz/panels/phrases.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

struct Placed {
  Corner area;
  float row;
};

Placed place(const Look& look, const Corner& box, std::size_t rows) {
  const float row = measure(look.body, "0").y + look.unit;
  const float wanted = static_cast<float>(rows) * row + look.unit;
  const float screen = ImGui::GetIO().DisplaySize.y - look.unit;
  const float below = screen - box.max.y, above = box.min.y - look.unit;
  if (wanted <= below || below >= above)
    return {{{box.min.x, box.max.y}, {box.max.x, box.max.y + std::min(wanted, below)}}, row};
  return {{{box.min.x, box.min.y - std::min(wanted, above)}, {box.max.x, box.min.y}}, row};
}

}  // namespace

void draw_choices(const Panel& panel, const stage::Control& control, const Corner& box) {
  const Look& look = panel.look;
  const auto choices = stage::choices_of(panel.model, control.field);
  const Placed at = place(look, box, choices.size());
  ImGui::SetNextWindowPos(at.area.min);
  ImGui::SetNextWindowSize({at.area.max.x - at.area.min.x, at.area.max.y - at.area.min.y});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::ColorConvertU32ToFloat4(look.colour.box));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, look.unit / 2});
  ImGui::Begin("choices", nullptr,
               (ImGuiWindowFlags_NoDecoration & ~ImGuiWindowFlags_NoScrollbar) |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float width = ImGui::GetWindowWidth();
  float y = ImGui::GetCursorScreenPos().y;
  for (const auto& choice : choices) {
    const Corner row{{at.area.min.x, y}, {at.area.min.x + width, y + at.row}};
    const Touch mouse = touch(choice.value.empty() ? "none" : choice.value, row);
    const bool is_now = choice.value == control.value;
    if (mouse.is_hovered) list.AddRectFilled(row.min, row.max, look.colour.trough);
    const ImU32 ink = is_now               ? look.colour.accent
                      : choice.is_possible ? look.colour.ink
                                           : look.colour.edge;
    write(list, {row.min.x + look.unit, y + look.unit / 2}, {is_now ? look.strong : look.body, ink},
          shown(look, control.field, choice.value).c_str());
    if (is_now && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY(0.5f);
    if (mouse.is_clicked) {
      panel.actions.emplace_back(stage::Focus{"", false});
      panel.actions.emplace_back(stage::Edit{control.field, choice.value});
    }
    y += at.row;
  }
  const bool is_over = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  const ImVec2 m = ImGui::GetIO().MousePos;
  const bool is_over_box =
      m.x >= box.min.x && m.x < box.max.x && m.y >= box.min.y && m.y < box.max.y;
  if (ImGui::IsMouseClicked(0) && !is_over && !is_over_box)
    panel.actions.emplace_back(stage::Focus{"", false});
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace ringside::panels
