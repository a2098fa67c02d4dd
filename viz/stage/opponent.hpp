#pragma once

#include <string>

#include "viz/stage/staged_run.hpp"

namespace ringside::stage {

/// What people expect of a collective: `ring` if there is one.
std::string usual_algorithm(CollectiveKind kind);
/// Whom to race against: an algorithm that teaches something beside this one and can do the same on
/// as many ranks; the same again if there is no other. `run` may be null.
std::string opponent(const scenario::Scenario& scenario, const Run& run);

}  // namespace ringside::stage
