#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/lesson.hpp"

namespace ringside::lessons {

/// A belief that is wrong and common.
struct Misconception {
  std::string id{};
  std::uint32_t lesson = 0;
  std::array<std::string, 2> words{};  ///< by Language
  std::uint32_t line = 0;
};
/// How a term is said, in both languages.
struct Term {
  std::string id{};
  std::array<std::string, 2> words{};  ///< by Language
  std::vector<std::string> also_zh{};  ///< may be named at first use
  std::vector<std::string> refused{};  ///< renderings that `learn --check` refuses
  std::uint32_t line = 0;
};

/// A folder of lessons: NN_name/..., misconceptions.toml, glossary.toml.
struct Course {
  std::string folder{};
  std::vector<Lesson> lessons{};  ///< by number
  std::vector<Misconception> misconceptions{};
  std::vector<Term> terms{};
  std::vector<Error> broken{};  ///< lessons (and lists) that could not be read, and why

  const Misconception* misconception(std::string_view id) const;
};

/// Reads what can be read. Error: no such folder, or no lesson in it.
Result<Course> load_course(const std::string& folder);
/// `3`, `03`, `ring`, `03_ring`. Error: names those there are; or why it cannot be read.
Result<const Lesson*> find_lesson(const Course& course, std::string_view name);

Result<std::vector<Misconception>> parse_misconceptions(std::string_view toml,
                                                        std::string_view file);
Result<std::vector<Term>> parse_glossary(std::string_view toml, std::string_view file);

}  // namespace ringside::lessons
