#include "lessons/course/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "lessons/course/check_parts.hpp"

namespace ringside::lessons {
namespace {

constexpr std::size_t most_findings = 200;

/// The misconceptions that a lesson's wrong answers name.
void collect(const Lesson& lesson, std::set<std::string>& hit) {
  for (const Beat& beat : lesson.beats) {
    if (!beat.ask) continue;
    for (const ChoiceRule& choice : beat.ask->choices) hit.insert(choice.misconception);
    for (const KnownWrong& wrong : beat.ask->wrong) hit.insert(wrong.misconception);
    for (const Sought& sought : beat.ask->sought)
      for (const KnownWrong& wrong : sought.wrong) hit.insert(wrong.misconception);
  }
}

void check_misconceptions(const Course& course, Findings& findings) {
  std::set<std::string> hit;
  for (const Lesson& lesson : course.lessons) collect(lesson, hit);
  const auto file = (std::filesystem::path(course.folder) / "misconceptions.toml").string();
  for (const Misconception& one : course.misconceptions)
    if (!hit.contains(one.id))
      findings.add(
          file, one.line,
          fmt::format("no wrong answer of any lesson is due to {}: let one name it", one.id));
}

void check_numbering(const Course& course, Findings& findings) {
  for (std::size_t i = 1; i < course.lessons.size(); ++i) {
    const Lesson &before = course.lessons[i - 1], &lesson = course.lessons[i];
    if (before.number == lesson.number || before.name == lesson.name)
      findings.add(lesson.file, 1, fmt::format("{} has the same number or name", before.folder));
  }
}

}  // namespace

void Findings::add(const std::string& file, std::uint32_t line, const std::string& sentence) {
  add(fmt::format("{}:{}: {}", file, line, sentence));
}

void Findings::add(const std::string& sentence) {
  const Finding finding{sentence};
  if (all_.size() < most_findings && std::find(all_.begin(), all_.end(), finding) == all_.end())
    all_.push_back(finding);
}

std::vector<Finding> check_lesson(const Course& course, const Lesson& lesson,
                                  const Laboratory& laboratory, const CheckOptions& options) {
  Findings findings;
  check_shape(lesson, course, findings);
  check_words(lesson, course, findings);
  for (std::uint64_t seed = 0; seed < options.seeds; ++seed)
    check_numbers(lesson, seed, laboratory, findings);
  return findings.take();
}

std::vector<Finding> check_course(const Course& course, const Laboratory& laboratory,
                                  const CheckOptions& options) {
  Findings findings;
  for (const Error& broken : course.broken) findings.add(broken.message);
  check_numbering(course, findings);
  if (options.whole_course && course.broken.empty()) {
    check_misconceptions(course, findings);
    check_introductions(course, findings);
  }
  auto all = findings.take();
  for (const Lesson& lesson : course.lessons)
    for (Finding& finding : check_lesson(course, lesson, laboratory, options))
      all.push_back(std::move(finding));
  return all;
}

}  // namespace ringside::lessons
