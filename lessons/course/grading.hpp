#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/course.hpp"
#include "lessons/course/homework.hpp"

namespace ringside::lessons {

/// One question of a hand-in, its answer judged anew.
struct GradedItem {
  std::string beat{};
  bool answered = false, right = false, right_at_first = false;
  std::uint32_t attempts = 0;  ///< recorded ones, and the answer where it differs from the last
  std::uint32_t hints = 0;
  std::vector<std::string> misconceptions{};  ///< that attempts point at, each once
  std::string trouble{};  ///< why a wrong answer is wrong, where more than that is known
};

/// One file that was handed in.
struct HandIn {
  std::string file{};
  std::string problem{};  ///< why it cannot be graded; empty: it was
  std::string student{}, lesson{};
  std::vector<GradedItem> items{};
  /// What a teacher should look into: edited, duplicate, of other numbers. One sentence each.
  std::vector<std::string> flags{};
  std::string answers{};   ///< all of them, to find others that are the same
  std::string expected{};  ///< all that would have been right

  std::size_t right() const;
  std::size_t right_at_first() const;
  std::uint32_t attempts() const;
};

/// Grades what was handed in. Any bytes will do, and take no longer than their share of a minute:
/// what is no homework becomes a hand-in with a problem.
class Grader {
 public:
  Grader(const Course& course, const Laboratory& laboratory)
      : course_(&course), laboratory_(laboratory) {}

  HandIn grade(std::string_view text, const std::string& file) const;

 private:
  Result<HandIn> graded(const Homework& homework) const;
  const Course* course_;
  Laboratory laboratory_;
};

/// Flags files of one student and lesson, and answers that are another's, word for word, though the
/// numbers differ.
void flag_duplicates(std::vector<HandIn>& hand_ins);

/// What most of the class got wrong, and what they believed: one paragraph.
std::string class_summary(const std::vector<HandIn>& hand_ins, const Course& course);

}  // namespace ringside::lessons
