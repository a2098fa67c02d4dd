#pragma once

#include <string>

#include "sim/workload/step.hpp"
#include "viz/panels/people.hpp"

// What the panels about training have in common.

namespace ringside::panels {

/// A kind of work in the lanes: computing in blues and grey, communication in the other hues.
ImU32 colour_of(const Look& look, sim::Activity activity);
const char* name_of(const Look& look, sim::Activity activity);
const char* name_of(const Look& look, sim::StreamKind stream);

/// The heading of all, with what leads from one to the others and back to the run. Returns where
/// the panel's own begins.
float draw_training_head(const Panel& panel);

/// The panel's middle says why there is nothing to show, or that it is being computed.
void draw_nothing_to_train(const Panel& panel, float top, const std::string& why);

}  // namespace ringside::panels
