#pragma once

#include "viz/stage/dump_run.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage::detail {

/// As dump_state says.
Json dump_practice(const Model& model);
Json dump_training(const Model& model);

}  // namespace ringside::stage::detail
