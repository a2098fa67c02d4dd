#pragma once

#include "viz/stage/dump_run.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage::detail {

/// The lesson that is being sat, and what of its beat's question is done; null if there is none.
Json dump_lesson(const Model& model);

}  // namespace ringside::stage::detail
