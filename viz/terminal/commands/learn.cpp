// `ringside learn`: lessons in the terminal, and the check of all of them.

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "lessons/course/check.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/stage/laboratory.hpp"
#include "viz/stage/lesson_files.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/homework.hpp"
#include "viz/terminal/output.hpp"
#include "viz/terminal/tutor.hpp"

namespace ringside::terminal {
namespace {

struct LearnFlags {
  std::string lesson, folder, beat, ledger;
  std::string language = "en";
  std::string seed;  ///< a number; for homework `auto`, too
  bool assign = false;
  std::string student, out, homework;
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

/// The lessons there are, and how far this learner is in each.
std::string list_of(const lessons::Course& course, const lessons::Ledger& ledger,
                    lessons::Language language) {
  std::string text;
  for (const lessons::Lesson& lesson : course.lessons) {
    const auto is_of = [&](const lessons::Record& record) { return record.lesson == lesson.name; };
    const auto last = std::find_if(ledger.records.rbegin(), ledger.records.rend(), is_of);
    const auto* mark = last == ledger.records.rend() ? " " : last->finished ? "x" : "-";
    text += fmt::format("{:>3} {} {}\n", lesson.number, mark, lesson.text(language).title);
  }
  for (const Error& broken : course.broken) text += "    " + broken.message + "\n";
  return text + (language == lessons::Language::en
                     ? "\nx: done, -: begun. Start with: ringside learn 1\n"
                     : "\nx：已完成，-：已开始。开始学习：ringside learn 1 --lang zh\n");
}

/// Where progress is kept: nowhere, where nobody sits at a terminal and no file is named.
Result<std::string> ledger_of(const LearnFlags& flags) {
  if (!flags.ledger.empty()) return flags.ledger;
  if (!is_terminal(STDIN_FILENO)) return std::string();
  RS_ASSIGN(std::string file, stage::ledger_file());
  if (const auto can = ringside::check_writable(file); !can) {
    std::cout << "Progress is not kept: " << can.error().message << "\n\n";
    return std::string();
  }
  return file;
}

std::size_t terminal_columns() {
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return std::clamp<std::size_t>(is_known ? size.ws_col : 80, 40, 100);
}

/// A lesson, kept in the ledger's file (empty: nowhere) as it goes.
Result<int> sit(const LearnFlags& flags, const lessons::Lesson& lesson, lessons::Ledger& ledger,
                const std::string& file) {
  const stage::Shelf shelf;
  RS_ASSIGN(const std::uint64_t seed,
            flags.seed.empty() ? Result<std::uint64_t>(lesson.seed) : parse_seed(flags.seed));
  RS_ASSIGN(auto instance, lessons::Instance::make(lesson, seed, shelf.laboratory()));
  const auto shared = std::make_shared<const lessons::Instance>(std::move(instance));
  const auto* record = ledger.find(lesson.name, seed);
  const bool goes_on = record != nullptr && !record->finished;
  lessons::Sitting sitting(shared, goes_on ? *record : lessons::Record{});
  if (!flags.beat.empty()) {
    const auto beat = shared->find(flags.beat);
    if (!beat)
      return bad_request(fmt::format("lesson {} has no beat {}: give its id, or 1 to {}",
                                     lesson.number, in_quotes(flags.beat), shared->size()));
    sitting.go(*beat);
  }
  RS_ASSIGN(const auto language, lessons::parse_language(flags.language));
  Result<void> kept;
  const std::function<void()> keep = [&] {
    ledger.put(sitting.record());
    kept = lessons::write_ledger(ledger, file);
  };
  const Tutoring manner{.language = language,
                        .style = Style::for_stdout(),
                        .columns = terminal_columns(),
                        .keep = file.empty() ? nullptr : keep,
                        .echo = !is_terminal(STDIN_FILENO)};
  tutor(sitting, manner, std::cin, std::cout);
  if (!kept) return tl::unexpected<Error>(kept.error());
  return 0;
}

Result<int> learn(const LearnFlags& flags) {
  RS_ASSIGN(const std::string folder, stage::lessons_folder(flags.folder));
  RS_ASSIGN(const lessons::Course course, lessons::load_course(folder));
  if (flags.check) return check_lessons(flags, course);
  if (!flags.homework.empty()) return do_homework({flags.homework, std::cin, std::cout}, course);
  RS_ASSIGN(const auto language, lessons::parse_language(flags.language));
  if (flags.assign)
    return assign_homework({.lesson = flags.lesson,
                            .student = flags.student,
                            .seed = flags.seed.empty() ? "auto" : flags.seed,
                            .language = language,
                            .output = {.out = flags.out}},
                           course);
  RS_ASSIGN(const std::string file, ledger_of(flags));
  lessons::Ledger ledger;
  if (!file.empty()) {
    RS_ASSIGN(ledger, lessons::read_ledger(file));
  }
  if (flags.lesson.empty()) {
    RS_TRY(write(OutputOptions{}, list_of(course, ledger, language)));
    return 0;
  }
  RS_ASSIGN(const lessons::Lesson* lesson, find_lesson(course, flags.lesson));
  return sit(flags, *lesson, ledger, file);
}

}  // namespace

void add_learn(CLI::App& app, Job& chosen) {
  auto* command =
      app.add_subcommand("learn", "A lesson in the terminal; without one, which there are");
  command->footer(
      "Examples: ringside learn\n"
      "          ringside learn 3 --lang zh\n"
      "          ringside learn 3 --assign --student s1234567 --out hw.json\n"
      "          ringside learn --homework hw.json\n"
      "          ringside learn --check");
  const auto flags = std::make_shared<LearnFlags>();
  command->add_option("lesson", flags->lesson, "Its number or name")->check(scenario::not_empty());
  command->add_option("--lessons", flags->folder, "The folder that lessons lie in")
      ->check(scenario::not_empty());
  command->add_option("--lang", flags->language, "en or zh")->capture_default_str();
  command
      ->add_option("--seed", flags->seed,
                   "Other numbers; 0 is the lesson's own; auto: the student's (--assign)")
      ->check([number = scenario::whole_number(0, UINT32_MAX)](const std::string& text) {
        return text == "auto" ? std::string() : number(text);
      });
  command->add_option("--beat", flags->beat, "Begin there: its id, or its number from 1")
      ->check(scenario::not_empty());
  command->add_option("--ledger", flags->ledger, "The file that progress is kept in")
      ->check(scenario::not_empty());
  auto* assign = command->add_flag("--assign", flags->assign,
                                   "Make a homework of the lesson, with numbers for one student");
  command->add_option("--student", flags->student, "Whose homework: any name or number")
      ->needs(assign);
  command->add_option("--out", flags->out, "Write it to this file instead of standard output")
      ->check(scenario::not_empty())
      ->needs(assign);
  command->add_option("--homework", flags->homework, "Do the homework in this file")
      ->check(scenario::not_empty())
      ->excludes(assign);
  command->add_flag("--check", flags->check,
                    "Check every lesson, or the one: answers, texts, runs");
  command->add_option("--seeds", flags->seeds, "Seeds to check with")
      ->check(scenario::whole_number(1, 1000))
      ->capture_default_str();
  command->callback([flags, &chosen] { chosen = [flags] { return learn(*flags); }; });
}

}  // namespace ringside::terminal
