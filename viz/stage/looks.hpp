#pragma once

#include "viz/stage/action.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage {

/// Commands that change how it looks, what is selected, and what lies over what.
void change_looks(Model& model, Command command);

}  // namespace ringside::stage
