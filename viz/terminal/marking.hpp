#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {

/// `schedule check FILE --rubric r.toml`: marks a schedule in text or JSON by a teacher's rubric
/// (lessons/course/rubric.hpp). Exit status 0: passed.
Result<int> mark_schedule(std::string_view text, const std::string& file,
                          const std::string& rubric_file, const OutputOptions& output);

}  // namespace ringside::terminal
