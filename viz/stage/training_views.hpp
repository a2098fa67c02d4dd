#pragma once

#include "viz/stage/action.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage {

/// Commands of the training step, the scaling curve and the small training. False if it is none of
/// them.
bool show_training(Model& model, Command command);

}  // namespace ringside::stage
