#pragma once

#include "viz/panels/panel.hpp"
#include "viz/stage/controls.hpp"

namespace ringside::panels {

/// The beat asks for something to be sorted, drawn or built: that takes the middle of the window.
bool has_board(const stage::Model& model);

/// Wires with something that may be changed: in a lesson, what its beat allows.
std::vector<stage::Wires> wires_to_change(const stage::Model& model);
/// Pixels that draw_lesson_controls() needs; 0 where nothing may be changed.
float lesson_controls_height(const stage::Model& model, const Look& look);

namespace detail {
// One kind of question a file.
void draw_cards(const Panel& panel);
void draw_curve_board(const Panel& panel);
void draw_schedule_board(const Panel& panel);
}  // namespace detail

}  // namespace ringside::panels
