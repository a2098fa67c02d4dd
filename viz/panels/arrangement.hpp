#pragma once

#include "viz/panels/look.hpp"
#include "viz/stage/model.hpp"

namespace ringside::panels {

/// Where each panel lies in a window. Areas touch and never overlap; one with no size is not shown,
/// because nothing in it could be read: the larger the letters, the fewer panels.
struct Arrangement {
  Corner toolbar, controls, stage, numbers, buffers, side, transport, space_time;
  Corner lesson{};
};
/// `unit`: the look's grid in pixels. `side`: where one of buffers and side must give way, the
/// buffers stay until something else than the first curves is asked for.
Arrangement arrange(ImVec2 window, float unit, stage::Model::Side side);

/// The same for a view of training: the controls down to the foot, the stage all else.
Arrangement arrange_training(ImVec2 window, float unit);

/// What a lesson wants to be seen beside its text.
struct LessonShape {
  float controls = 0;  ///< units of height for what may be changed; 0: nothing may
  bool has_numbers = false, has_buffers = false, has_side = false;
  bool has_time = true;  ///< there is a run, and it is what is looked at
};
/// A lesson: its text takes the left down to the foot, the stage most of the rest.
Arrangement arrange_lesson(ImVec2 window, float unit, const LessonShape& shape);

/// How much larger than at 1920 x 1080 everything is drawn, for `--ui-scale 1`.
float fit(ImVec2 window);

inline bool is_shown(const Corner& area) {
  return area.max.x > area.min.x && area.max.y > area.min.y;
}

}  // namespace ringside::panels
