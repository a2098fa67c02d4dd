// `ringside learn`: lessons in the terminal, and the check of all of them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "core/suggest.hpp"
#include "lessons/course/check.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/stage/laboratory.hpp"
#include "viz/stage/lesson_files.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

struct LearnFlags {
  std::string lesson, folder;
  bool check = false;
  std::uint64_t seeds = 8;
};

/// The course, or the one lesson of it that was named.
Result<int> check_lessons(const LearnFlags& flags, const lessons::Course& course) {
  const stage::Shelf shelf;
  lessons::CheckOptions options{.seeds = flags.seeds};
  std::vector<lessons::Finding> findings;
  std::size_t checked = course.lessons.size() + course.broken.size();
  if (flags.lesson.empty()) {
    findings = check_course(course, shelf.laboratory(), options);
  } else {
    RS_ASSIGN(const lessons::Lesson* lesson, find_lesson(course, flags.lesson));
    options.whole_course = false;
    findings = check_lesson(course, *lesson, shelf.laboratory(), options);
    checked = 1;
  }
  std::string text;
  for (const lessons::Finding& finding : findings) text += finding.sentence + "\n";
  text += findings.empty() ? fmt::format("{} right, each with {}\n", counted(checked, "lesson"),
                                         counted(flags.seeds, "seed"))
                           : fmt::format("{} in {}\n", counted(findings.size(), "finding"),
                                         counted(checked, "lesson"));
  RS_TRY(write(OutputOptions{}, text));
  return findings.empty() ? 0 : 1;
}

Result<int> learn(const LearnFlags& flags) {
  RS_ASSIGN(const std::string folder, stage::lessons_folder(flags.folder));
  RS_ASSIGN(const lessons::Course course, lessons::load_course(folder));
  return check_lessons(flags, course);
}

}  // namespace

void add_learn(CLI::App& app, Job& chosen) {
  auto* command =
      app.add_subcommand("learn", "A lesson in the terminal; without one, which there are");
  command->footer(
      "Examples: ringside learn 3\n"
      "          ringside learn --check");
  const auto flags = std::make_shared<LearnFlags>();
  command->add_option("lesson", flags->lesson, "Its number or name")->check(scenario::not_empty());
  command->add_option("--lessons", flags->folder, "The folder that lessons lie in")
      ->check(scenario::not_empty());
  command->add_flag("--check", flags->check,
                    "Check every lesson, or the one: answers, texts, runs");
  command->add_option("--seeds", flags->seeds, "Seeds to check with")
      ->check(scenario::whole_number(1, 1000))
      ->capture_default_str();
  command->callback([flags, &chosen] { chosen = [flags] { return learn(*flags); }; });
}

}  // namespace ringside::terminal
