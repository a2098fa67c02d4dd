#pragma once

#include <string>

#include "viz/stage/lesson.hpp"

namespace ringside::stage {

/// Reads lessons and progress. No lessons are no error: `no_course` says why there are none.
/// Errors: the ledger is none.
Result<Classroom> open_classroom(const std::string& folder, const std::string& ledger);

/// All that lessons, glossary aside, show in either language: what fonts must be able to write.
std::string texts_of(const Classroom& classroom);

}  // namespace ringside::stage
