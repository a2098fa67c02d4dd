#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/check.hpp"
#include "lessons/course/instance.hpp"

// What check_lesson() is made of.

namespace ringside::lessons {

/// Collects what is found, without repeats.
class Findings {
 public:
  void add(const std::string& file, std::uint32_t line, const std::string& sentence);
  /// One that says where itself.
  void add(const std::string& sentence);
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

/// One piece of a lesson's text, and whether its reader knows the answer yet.
struct Piece {
  const BeatText& beat;
  const Markdown& text;
  std::string what;  ///< `hint 2`
  bool is_after = false;
};
std::vector<Piece> pieces(const BeatText& beat);

/// Beats, choices, hints and answers: there are all, in both languages, and no others.
void check_shape(const Lesson& lesson, const Course& course, Findings& findings);
/// The same numbers in both languages, terms as the glossary has them, texts that fit, live links.
void check_words(const Lesson& lesson, const Course& course, Findings& findings);
/// Chinese terms have their English in brackets where they are introduced, somewhere in the course.
void check_introductions(const Course& course, Findings& findings);
/// Everything that depends on numbers, for one seed.
void check_numbers(const Lesson& lesson, std::uint64_t seed, const Laboratory& laboratory,
                   Findings& findings);

}  // namespace ringside::lessons
