#pragma once

#include "core/result.hpp"
#include "viz/scenario/view_options.hpp"
#include "viz/stage/opening.hpp"

namespace ringside::window {

/// The window from its opening to its end: staged, shown, driven by a user or a script, and what
/// was asked for written. Exit status 0, or the error. The display must be usable.
Result<int> run_session(const scenario::ViewOptions& options, stage::Opening opening);

}  // namespace ringside::window
