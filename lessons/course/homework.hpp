#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"
#include "lessons/course/instance.hpp"

namespace ringside::lessons {

/// One question of a homework, and what was done at it.
struct HomeworkItem {
  std::string beat{};                   ///< of the lesson
  std::string question{};               ///< Markdown, the student's numbers in it
  std::string given{};                  ///< what holds: `n = 7, S = 64 MB`
  std::vector<std::string> choices{};   ///< as shown, in order
  std::string how{};                    ///< how an answer is typed
  std::string answer{};                 ///< the student's, theirs to edit; empty: none yet
  std::vector<std::string> attempts{};  ///< as typed into `learn --homework`, the latest last
  std::uint32_t hints = 0;              ///< asked for there
  bool is_schedule = false;             ///< the answer is many lines
  friend bool operator==(const HomeworkItem&, const HomeworkItem&) = default;
};

/// One student's homework: the questions of a lesson that are marked for it, with numbers of their
/// own. Kept as JSON, in which a student edits the answers and nothing else.
struct Homework {
  std::string lesson{};  ///< its name
  std::string student{};
  std::uint64_t seed = 0;
  Language language = Language::en;
  std::vector<HomeworkItem> items{};
  /// As the file says; seal_of() says what it must be.
  std::string seal{};
  friend bool operator==(const Homework&, const Homework&) = default;
};

/// The seed of `--seed auto`: the same for a student and lesson, always; below 2^53, not 0.
std::uint64_t own_seed(std::string_view student, std::string_view lesson);
/// One sentence if this cannot name a student: 1 to 64 bytes, no control characters.
Result<void> check_student(std::string_view student);

struct Assignee {
  std::string student{};
  std::uint64_t seed = 0;
  Language language = Language::en;
};
/// The lesson with a homework's numbers: not those of the lesson with that seed, whose answers
/// anybody can have shown.
Result<Instance> homework_instance(const Lesson& lesson, std::uint64_t seed,
                                   const Laboratory& laboratory);
/// `instance`: homework_instance() of that seed. Errors: check_student's; a lesson with no question
/// for homework.
Result<Homework> assign(const Instance& instance, const Assignee& assignee);

/// A checksum over all but the answers: an edit shows. It does not stop a forger who reads this
/// source; but numbers, answers and proofs are worked out anew in any case.
std::string seal_of(const Homework& homework);

/// Sealed.
std::string to_json(const Homework& homework);
/// Any bytes will do. Errors: one sentence that names the place in the file and what was expected.
Result<Homework> homework_from_json(std::string_view text, std::string_view file);
inline constexpr Bytes most_homework = 1_MiB;
inline constexpr std::size_t most_items = 64, most_attempts = 100;

}  // namespace ringside::lessons
