#pragma once

#include "viz/panels/run_view.hpp"

namespace ringside::panels {

// What the marks on the stage mean, in lines along the bottom of `area`.

/// What the legend takes: it depends on the run and what was done to it, not on the time.
float legend_height(const Panel& panel, const stage::StagedRun& run, const Corner& area);
void draw_legend(const RunView& view, const stage::Scene& scene, const Corner& area);

}  // namespace ringside::panels
