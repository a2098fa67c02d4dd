#include "viz/panels/lesson_board.hpp"

#include "viz/panels/people.hpp"

namespace ringside::panels {

bool has_board(const stage::Model& model) {
  const auto* asked = model.lesson ? model.lesson->asked() : nullptr;
  if (asked == nullptr) return false;
  using enum lessons::QuestionKind;
  return asked->kind == sort || asked->kind == draw || asked->kind == schedule;
}

std::vector<stage::Wires> wires_to_change(const stage::Model& model) {
  auto all = stage::wires_of(model);
  std::erase_if(all, [&](const stage::Wires& wires) {
    const std::string name(sim::name(wires.kind));
    return !stage::lets_edit(model, name + ".bandwidth") &&
           !stage::lets_edit(model, name + ".latency");
  });
  return all;
}

float lesson_controls_height(const stage::Model& model, const Look& look) {
  if (!model.lesson) return 0;
  const float row = measure(look.body, "0").y + 2 * look.unit;
  const auto wires = wires_to_change(model);
  std::size_t boxes = 0, sections = wires.empty() ? 0 : 1;
  auto last = stage::Control::Section::wires;
  for (const stage::Control& control : stage::controls_of(model)) {
    if (control.section == stage::Control::Section::wires) continue;
    ++boxes;
    if (control.section != last) ++sections;
    last = control.section;
  }
  if (sections == 0) return 0;
  return static_cast<float>(boxes) * row + static_cast<float>(wires.size()) * 2 * row +
         static_cast<float>(sections) * row + look.unit;
}

void draw_lesson_board(const Panel& panel) {
  begin_panel("board", panel);
  using enum lessons::QuestionKind;
  switch (panel.model.lesson->asked()->kind) {
    case sort:
      detail::draw_cards(panel);
      break;
    case draw:
      detail::draw_curve_board(panel);
      break;
    default:
      detail::draw_schedule_board(panel);
      break;
  }
  end_panel();
}

}  // namespace ringside::panels
