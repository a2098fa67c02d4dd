#pragma once

#include "viz/panels/panel.hpp"

namespace ringside::panels {

/// At the foot of the controls, always in sight: what is proven of the run, or why what was asked
/// for is not possible. Returns where it begins.
float draw_truth(const Panel& panel);

}  // namespace ringside::panels
