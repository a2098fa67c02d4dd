#pragma once

#include "viz/panels/panel.hpp"
#include "viz/stage/space_time.hpp"

namespace ringside::panels {

/// The run's bars, laid out when first asked for.
const stage::SpaceTime& space_time_of(const stage::StagedRun& run);
/// What the diagram shows: the model's window, or all of the run.
stage::TimeWindow shown_window(const stage::Model& model);

struct Field {
  Corner box;
  stage::TimeAxis axis;
  float row = 0;  ///< its height
};
/// All bars as one picture, painted anew only when the run, the window or the size changed: 130,000
/// bars cost one quad a frame.
void draw_bars(const Panel& panel, const stage::StagedRun& run, const Field& field,
               ImDrawList& list);

}  // namespace ringside::panels
