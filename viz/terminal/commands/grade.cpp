// `ringside grade`: a folder of homework, marked.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "core/file.hpp"
#include "viz/scenario/flags.hpp"
#include "viz/stage/laboratory.hpp"
#include "viz/stage/lesson_files.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/hand_ins.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

struct GradeOptions {
  std::string hand_ins, csv, lessons;
  OutputOptions output;
};

Result<std::vector<lessons::HandIn>> grade_all(const std::vector<FoundFile>& files,
                                               const lessons::Course& course) {
  const auto laboratory = stage::Shelf().laboratory();
  const lessons::Grader grader(course, laboratory);
  std::vector<lessons::HandIn> rows;
  Progress progress(files.size());
  for (const FoundFile& file : files) {
    if (!file.problem.empty()) {
      rows.push_back({.file = file.path, .problem = file.problem});
    } else {
      const auto text = read_file(file.path, lessons::most_homework);
      rows.push_back(text ? grader.grade(*text, file.path)
                          : lessons::HandIn{.file = file.path, .problem = text.error().message});
    }
    progress.done(rows.size(), file.path);
  }
  flag_duplicates(rows);
  return rows;
}

Result<int> grade_homework(const GradeOptions& options) {
  RS_TRY(check_writable("--csv", options.csv));
  RS_ASSIGN(const std::string folder, stage::lessons_folder(options.lessons));
  RS_ASSIGN(const lessons::Course course, lessons::load_course(folder));
  RS_ASSIGN(const auto files, find_hand_ins(options.hand_ins));
  RS_ASSIGN(const auto rows, grade_all(files, course));
  const auto summary = class_summary(rows, course);
  if (!options.csv.empty()) RS_TRY(write_file(options.csv, marks_csv(rows)));
  RS_TRY(write(options.output,
               options.output.json ? marks_json(rows, summary) : marks_table(rows, summary)));
  const bool is_fine = std::all_of(rows.begin(), rows.end(), [](const auto& row) {
    return row.problem.empty() && row.flags.empty();
  });
  return is_fine ? 0 : 1;
}

}  // namespace

void add_grade(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand(
      "grade", "Mark a folder of homework: every answer and every proof worked out anew");
  command->footer(
      "Homework is made by ringside learn 3 --assign --student ID --out hw.json. Exit status 1 if\n"
      "a file cannot be graded, was edited where it may not be, or is a copy.\n"
      "Example: ringside grade hand-ins --csv marks.csv");
  const auto options = std::make_shared<GradeOptions>();
  command->add_option("folder", options->hand_ins, "A folder of hand-ins, or one of them")
      ->required()
      ->check(scenario::not_empty());
  command->add_option("--csv", options->csv, "Write the marks to this file, for a spreadsheet")
      ->check(scenario::not_empty());
  command->add_option("--lessons", options->lessons, "The folder that lessons lie in")
      ->check(scenario::not_empty());
  options->output.add_to(*command, false);
  command->callback(
      [options, &chosen] { chosen = [options] { return grade_homework(*options); }; });
}

}  // namespace ringside::terminal
