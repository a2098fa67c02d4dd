#pragma once

#include <string>

#include "core/result.hpp"

namespace ringside::stage {

/// Where lessons lie: `given` (--lessons) if it is not empty, else beside the installed program
/// (../share/ringside/lessons), else in the source tree it was built from. Error: nowhere.
Result<std::string> lessons_folder(const std::string& given);

/// Where a learner's progress is kept: $XDG_STATE_HOME or ~/.local/state, then
/// ringside/lessons.json. Its folder is made. Error: no home.
Result<std::string> ledger_file();

}  // namespace ringside::stage
