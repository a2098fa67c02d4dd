#include "viz/terminal/marking.hpp"

#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "core/formats/check_schedule.hpp"
#include "core/formats/schedule_text.hpp"
#include "lessons/course/rubric.hpp"
#include "viz/stage/laboratory.hpp"

namespace ringside::terminal {
namespace {

using lessons::Criterion;
using lessons::Marks;
using lessons::Rubric;

/// JSON's moves have no lines: they are read as the text that says the same.
Result<std::string> as_text(std::string_view text, const std::string& file) {
  if (format_of(text) == ScheduleFormat::msccl_xml)
    return bad_request(file +
                       " is MSCCL XML: turn it into a schedule first (ringside schedule "
                       "import " +
                       file + " --out mine.json), then mark that");
  RS_ASSIGN(const Schedule schedule, stored_schedule(text, file));
  return format_of(text) == ScheduleFormat::text ? std::string(text) : schedule_to_text(schedule);
}

std::string as_json(const Marks& marks, const Rubric& rubric, const std::string& file) {
  using Json = nlohmann::ordered_json;
  const auto& grade = marks.grade;
  Json row{{"file", file},
           {"collective", name(rubric.puzzle.spec.kind)},
           {"ranks", rubric.puzzle.spec.ranks},
           {"right", grade.correct},
           {"steps", grade.steps},
           {"busiest_bytes", grade.busiest.count},
           {"busiest_rank", grade.busiest_rank.value},
           {"least_busiest_bytes", grade.least_busiest.count},
           {"time_us", grade.time.microseconds()},
           {"least_time_us", grade.least_time.microseconds()}};
  if (!grade.correct) row["violation"] = grade.problem[0];
  for (const Criterion c : lessons::criteria)
    row["points"][name(c)] = marks.earned_for(c).hundredths / 100.0;
  row["total"] = marks.total.hundredths / 100.0;
  row["of"] = marks.of;
  row["pass"] = marks.passed;
  const Json json{{"ringside", 1}, {"command", "schedule check"}, {"results", Json::array({row})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<int> mark_schedule(std::string_view text, const std::string& file,
                          const std::string& rubric_file, const OutputOptions& output) {
  RS_ASSIGN(const std::string toml, read_file(rubric_file));
  RS_ASSIGN(const Rubric rubric, lessons::parse_rubric(toml, rubric_file));
  RS_ASSIGN(const std::string told, as_text(text, file));
  const auto laboratory = stage::Shelf().laboratory();
  const auto marks = lessons::mark(rubric, told, laboratory);
  if (!marks) return bad_request(file + ": " + marks.error().message);
  RS_TRY(write(output, output.json ? as_json(*marks, rubric, file)
                                   : file + ":\n" + to_string(*marks, rubric)));
  return marks->passed ? 0 : 1;
}

}  // namespace ringside::terminal
