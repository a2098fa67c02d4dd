#pragma once

#include <vector>

#include "viz/panels/look.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/model.hpp"

namespace ringside::panels {

/// What a panel is given: what to show, how things look, its place on the screen, and where to put
/// what the user did. A panel is a free function: it draws the model and changes nothing.
struct Panel {
  const stage::Model& model;
  const Look& look;
  ImVec2 min, max;  ///< in pixels
  std::vector<stage::Action>& actions;
  ImVec2 size() const { return {max.x - min.x, max.y - min.y}; }
};

// One panel a file. Each opens its own ImGui child or window at its place; model.run may be null.
void draw_toolbar(const Panel& panel);        ///< what runs, and race, fork, share, language ...
void draw_controls(const Panel& panel);       ///< left: what, on which wires, truth
void draw_stage(const Panel& panel);          ///< middle: ranks, links, chunks on their way
void draw_race(const Panel& panel);           ///< middle: two stages on one clock, three meters
void draw_training_step(const Panel& panel);  ///< instead of all but the controls
void draw_scaling(const Panel& panel);        ///< instead of all but the controls
void draw_loss(const Panel& panel);           ///< instead of all but the controls
void draw_numbers(const Panel& panel);        ///< right, top
void draw_buffers(const Panel& panel);        ///< right: rank x chunk
void draw_curves(const Panel& panel);         ///< right, bottom
void draw_addition_tree(const Panel& panel);  ///< right, bottom, instead
void draw_transport(const Panel& panel);      ///< bottom: play, step, scrub, speed
void draw_space_time(const Panel& panel);     ///< bottom: ranks x time
void draw_lesson(const Panel& panel);         ///< left, instead of the controls: text and question
void draw_lesson_board(
    const Panel& panel);  ///< middle: what a question lets one sort, draw or build
void draw_lesson_controls(const Panel& panel);  ///< left, below: what the beat lets one change
void draw_lessons(const Panel& panel);          ///< over all: the list of lessons
void draw_menu(const Panel& panel);             ///< over all: of what is selected
void draw_help(const Panel& panel);             ///< over all: every key, every mark

}  // namespace ringside::panels
