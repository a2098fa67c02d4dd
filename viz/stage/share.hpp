#pragma once

#include "viz/scenario/scenario.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage {

/// The run, its moment, its rival and how it looks, where that differs from how a window opens.
scenario::Share share_of(const Model& model);

}  // namespace ringside::stage
