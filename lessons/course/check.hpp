#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lessons/course/course.hpp"
#include "lessons/course/laboratory.hpp"

namespace ringside::lessons {

/// Something that would mislead a learner.
struct Finding {
  std::string sentence{};  ///< starts `file:line: `
  friend bool operator==(const Finding&, const Finding&) = default;
};

struct CheckOptions {
  std::uint64_t seeds = 8;  ///< 0 .. seeds - 1 are tried
  /// All of misconceptions.toml must be hit by some distractor; false where a few lessons are
  /// checked alone.
  bool whole_course = true;
};

/// What `ringside learn --check` finds: empty if every run runs, every answer is recomputed and
/// confirmed, is right when given back and no known wrong answer is; every exercise starts unsolved
/// and its solution makes par; both languages have the same beats, choices, hints and numbers, and
/// use the glossary's terms; misconceptions exist and are hit; links lead somewhere.
std::vector<Finding> check_course(const Course& course, const Laboratory& laboratory,
                                  const CheckOptions& options = {});
std::vector<Finding> check_lesson(const Course& course, const Lesson& lesson,
                                  const Laboratory& laboratory, const CheckOptions& options = {});

}  // namespace ringside::lessons
