#pragma once

#include "viz/panels/look.hpp"

namespace ringside::panels {

/// Where each panel lies in a window of this size. Areas touch and never overlap; one with no
/// size is not shown, because nothing in it could be read.
struct Arrangement {
  Corner toolbar, controls, stage, numbers, buffers, side, transport, space_time;
};
Arrangement arrange(ImVec2 window, const Look& look);

/// How much larger than at 1920 x 1080 everything is drawn, for `--ui-scale 1`.
float fit(ImVec2 window);

inline bool is_shown(const Corner& area) {
  return area.max.x > area.min.x && area.max.y > area.min.y;
}

}  // namespace ringside::panels
