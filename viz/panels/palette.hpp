#pragma once

#include "viz/panels/look.hpp"
#include "viz/stage/model.hpp"

namespace ringside::panels {

const Palette& palette(stage::Theme theme);

/// Dear ImGui's own widgets in the look's colours, on its grid. For the current context.
void style_widgets(const Look& look);

}  // namespace ringside::panels
