#include "lessons/course/rubric.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "lessons/course/amount.hpp"
#include "sim/strict_toml.hpp"

namespace ringside::lessons {
namespace {

using sim::TomlTable;

constexpr std::array<std::string_view, criteria.size()> criterion_names{"right", "steps", "busiest",
                                                                        "time"};
constexpr std::uint32_t most_ranks = 256, most_chunks = 4096, most_points = 1000;

/// The error with the line it is about before it.
template <typename T>
Result<T> at(const TomlTable& table, std::string_view key, Result<T> value) {
  if (!value) return table.fail(key, value.error().message);
  return value;
}

/// The table `key`, or an empty one.
Result<TomlTable> table_of(const TomlTable& root, std::string_view key, std::string_view file) {
  static const sim::TomlValue none{.line = 0, .value = sim::TomlValue::Table{}};
  const auto* found = root.find(key);
  if (!found) return TomlTable(none, file);
  return root.table(*found, fmt::format("a table: [{}]", key));
}

Result<void> read_par(const TomlTable& par, Puzzle::Par& read) {
  RS_TRY(par.only({"steps", "busiest", "time"}));
  RS_ASSIGN(read.steps, par.whole("steps", 0, {1, most_chunks}));
  RS_ASSIGN(const auto busiest, par.text("busiest", "96MB"));
  RS_ASSIGN(read.busiest, at(par, "busiest", parse_bytes(busiest.value_or("0"))));
  RS_ASSIGN(const auto time, par.text("time", "5ms"));
  RS_ASSIGN(read.time, at(par, "time", parse_duration(time.value_or("0"))));
  return {};
}

Result<void> read_points(const TomlTable& table, Rubric& rubric) {
  RS_TRY(table.only({"right", "steps", "busiest", "time"}));
  for (const Criterion c : criteria) {
    RS_ASSIGN(const auto points, table.whole(name(c), 0, {0, most_points}));
    rubric.points[static_cast<std::size_t>(c)] = points;
  }
  if (rubric.points_of(Criterion::steps) > 0 && rubric.puzzle.par.steps == 0)
    return table.fail("steps",
                      "steps earn points against a par, as no bound of theirs is known: "
                      "say [par] steps = 6");
  return {};
}

Result<void> read_puzzle(const TomlTable& root, Puzzle& puzzle) {
  RS_ASSIGN(const auto collective, root.needed("collective", "all_reduce"));
  RS_ASSIGN(puzzle.spec.kind, at(root, "collective", parse_collective(collective)));
  RS_ASSIGN(puzzle.spec.ranks, root.whole("ranks", 0, {1, most_ranks}));
  if (puzzle.spec.ranks == 0) return root.fail("how many ranks? Say ranks = 4");
  RS_ASSIGN(puzzle.spec.root.value, root.whole("root", 0, {0, puzzle.spec.ranks - 1}));
  RS_ASSIGN(puzzle.chunks, root.whole("chunks", 0, {1, most_chunks}));
  RS_ASSIGN(const auto bytes, root.needed("bytes", "64MB"));
  RS_ASSIGN(puzzle.bytes, at(root, "bytes", parse_bytes(bytes)));
  RS_ASSIGN(const auto system, root.text("system", "system=ring&bandwidth=25GB/s"));
  puzzle.share = fmt::format("ring?collective={}&ranks={}&bytes={}", collective, puzzle.spec.ranks,
                             puzzle.bytes.count);
  if (system && !system->empty()) puzzle.share += "&" + *system;
  return at(root, "collective", check(puzzle.spec));
}

/// What is beyond par earns the part of the points that par is of it.
Points earned(std::uint32_t points, std::uint64_t found, std::uint64_t par) {
  if (is_within_par(found, par)) return {points * 100};
  const auto share = static_cast<double>(par) / static_cast<double>(found);
  return {static_cast<std::uint32_t>(points * 100 * share)};
}

std::uint64_t figure(Duration time) {
  return static_cast<std::uint64_t>(time.picoseconds);
}

std::string line(Criterion c, const std::string& found, const std::string& measure) {
  return fmt::format("  {:<8} {:<12} {:<44} ", name(c), found, measure);
}

}  // namespace

std::string_view name(Criterion criterion) {
  return criterion_names[static_cast<std::size_t>(criterion)];
}

std::string to_string(Points points) {
  const auto [whole, rest] = std::pair{points.hundredths / 100, points.hundredths % 100};
  if (rest == 0) return std::to_string(whole);
  return rest % 10 == 0 ? fmt::format("{}.{}", whole, rest / 10)
                        : fmt::format("{}.{:02}", whole, rest);
}

Result<Rubric> parse_rubric(std::string_view toml, std::string_view file) {
  RS_ASSIGN(const auto value, sim::parse_toml(toml, file));
  const TomlTable root(value, file);
  RS_TRY(root.only(
      {"collective", "ranks", "chunks", "root", "bytes", "system", "pass", "par", "points"}));
  Rubric rubric;
  RS_TRY(read_puzzle(root, rubric.puzzle));
  RS_ASSIGN(const auto par, table_of(root, "par", file));
  RS_TRY(read_par(par, rubric.puzzle.par));
  RS_ASSIGN(const auto points, table_of(root, "points", file));
  RS_TRY(read_points(points, rubric));
  const auto total = std::accumulate(rubric.points.begin(), rubric.points.end(), 0u);
  if (total == 0)
    return root.fail(
        "[points] says what `right`, `steps`, `busiest` and `time` are worth, such as "
        "right = 4");
  RS_ASSIGN(rubric.pass, root.whole("pass", 0, {0, total}));
  return rubric;
}

Result<Marks> mark(const Rubric& rubric, std::string_view schedule_text,
                   const Laboratory& laboratory) {
  RS_ASSIGN(auto grade, lessons::grade(rubric.puzzle, schedule_text, laboratory));
  Marks marks{.grade = std::move(grade), .par = rubric.puzzle.par};
  const PuzzleGrade& found = marks.grade;
  if (marks.par.busiest.count == 0) marks.par.busiest = found.least_busiest;
  if (marks.par.time.picoseconds == 0) marks.par.time = found.least_time;
  if (found.correct)
    marks.earned = {
        Points{rubric.points_of(Criterion::right) * 100},
        earned(rubric.points_of(Criterion::steps), found.steps, marks.par.steps),
        earned(rubric.points_of(Criterion::busiest), found.busiest.count, marks.par.busiest.count),
        earned(rubric.points_of(Criterion::time), figure(found.time), figure(marks.par.time))};
  for (const Criterion c : criteria) {
    marks.total.hundredths += marks.earned_for(c).hundredths;
    marks.of += rubric.points_of(c);
  }
  marks.passed = found.correct && marks.total.hundredths >= rubric.pass * 100;
  return marks;
}

std::string to_string(const Marks& marks, const Rubric& rubric) {
  const PuzzleGrade& grade = marks.grade;
  const auto bytes = [](Bytes b) { return show(static_cast<double>(b.count), Unit::bytes); };
  const std::array figures{
      line(Criterion::right, grade.correct ? "yes" : "no", ""),
      line(Criterion::steps, std::to_string(grade.steps),
           marks.par.steps > 0 ? fmt::format("par {}", marks.par.steps) : ""),
      line(Criterion::busiest, bytes(grade.busiest),
           fmt::format("par {}, proven least {} (rank {})", bytes(marks.par.busiest),
                       bytes(grade.least_busiest), grade.busiest_rank.value)),
      line(Criterion::time, to_string(grade.time),
           fmt::format("par {}, proven least {}", to_string(marks.par.time),
                       to_string(grade.least_time)))};
  std::string text;
  for (const Criterion c : criteria)
    text += figures[static_cast<std::size_t>(c)] +
            fmt::format("{} of {}\n", to_string(marks.earned_for(c)), rubric.points_of(c));
  if (!grade.correct) text += "  " + grade.problem[0] + "\n";
  return text + fmt::format("  {} of {} points: {}\n", to_string(marks.total), marks.of,
                            marks.passed ? "passed" : "not passed");
}

}  // namespace ringside::lessons
