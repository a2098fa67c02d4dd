#pragma once

#include "viz/panels/panel.hpp"
#include "viz/stage/controls.hpp"

namespace ringside::panels {

/// The list of a control's choices, over all else, under its box (above it where there is no room).
/// A click on one takes it, a click elsewhere closes the list.
void draw_choices(const Panel& panel, const stage::Control& control, const Corner& box);

}  // namespace ringside::panels
