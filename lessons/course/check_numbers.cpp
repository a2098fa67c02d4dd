#include <fmt/format.h>

#include <algorithm>

#include "core/suggest.hpp"
#include "lessons/course/check_parts.hpp"

namespace ringside::lessons {
namespace {

/// Chunks are whole elements, and times whole picoseconds: that much may a simulation differ.
constexpr double rounding = 0.001;

/// One lesson with the numbers of one seed.
class Rehearsal {
 public:
  Rehearsal(const Instance& instance, Findings& findings)
      : instance_(instance), lesson_(instance.lesson()), findings_(findings) {}

  void check() const {
    for (const NamedRun& run : lesson_.runs) check_run(run);
    for (std::size_t i = 0; i < instance_.size(); ++i) {
      check_scene(i);
      check_texts(i);
      if (instance_.asked(i) != nullptr) check_question(i);
    }
  }

 private:
  void check_run(const NamedRun& run) const;
  void check_scene(std::size_t i) const;
  void check_texts(std::size_t i) const;
  void check_question(std::size_t i) const;
  void check_sought(std::size_t i, const Sought& sought, const Expected& expected) const;
  void check_wrong(std::size_t i, const Mistaken& mistaken, std::uint32_t line) const;
  void check_blank_wrong(std::size_t i, std::size_t blank) const;
  void check_puzzle(std::size_t i) const;
  std::string with_seed(const std::string& sentence) const {
    return instance_.seed() == 0 ? sentence
                                 : fmt::format("with seed {}, {}", instance_.seed(), sentence);
  }
  void add(std::uint32_t line, const std::string& sentence) const {
    findings_.add(lesson_.file, line, with_seed(sentence));
  }
  Result<Verdict> judged(std::size_t i, const std::string& answer) const {
    return judge(*instance_.asked(i), answer, instance_.laboratory());
  }

  const Instance& instance_;
  const Lesson& lesson_;
  Findings& findings_;
};

void Rehearsal::check_run(const NamedRun& run) const {
  const auto share = instance_.share(run.name);
  if (!share) return findings_.add(share.error().message);
  if (const auto done = instance_.laboratory().run(*share); !done)
    add(run.line, fmt::format("the run {} fails: {}", run.name, done.error().message));
}

void Rehearsal::check_scene(std::size_t i) const {
  const Scene& scene = instance_.scene(i);
  if (scene.at.empty() && scene.play.empty()) return;
  const auto line = lesson_.beats[i].line;
  if (scene.run.empty())
    return add(line, fmt::format("{} has a moment but no run yet", lesson_.beats[i].id));
  const auto run = instance_.laboratory().run(scene.run);
  if (!run) return;
  for (const std::string& at : {scene.at, scene.play})
    if (!at.empty())
      if (const auto time = moment(**run, at); !time) add(line, time.error().message);
}

void Rehearsal::check_texts(std::size_t i) const {
  for (const Language language : languages) {
    const LessonText& text = lesson_.text(language);
    const auto* beat = text.find(lesson_.beats[i].id);
    if (beat == nullptr) continue;
    for (const Piece& piece : pieces(*beat))
      for (const Mention& mention : mentions(piece.text.text)) {
        const auto line = piece.text.line + mention.line;
        const auto colon = mention.format.empty() ? "" : ":" + mention.format;
        const auto said = instance_.fill(i, {"{" + mention.name + colon + "}", line});
        if (!said) findings_.add(text.file, line, with_seed(said.error().message));
        if (mention.name == "answer" && !piece.is_after)
          findings_.add(text.file, line,
                        fmt::format("the {} of {} gives the answer away", piece.what, beat->id));
      }
  }
}

void Rehearsal::check_sought(std::size_t i, const Sought& sought, const Expected& expected) const {
  const auto unit = instance_.evaluate(i, sought.answer);
  const bool has_dimension = expected.unit == Unit::bytes || expected.unit == Unit::time ||
                             expected.unit == Unit::bandwidth;
  if (unit && unit->unit != Unit::none && unit->unit != expected.unit)
    add(sought.answer.line,
        fmt::format("{} is a {}, and is asked for as {}", in_quotes(sought.answer.text),
                    unit->unit == Unit::bytes  ? "size"
                    : unit->unit == Unit::time ? "time"
                                               : "bandwidth",
                    has_dimension ? "something else" : "a plain number"));
  if (sought.confirm.text.empty()) return;
  const auto confirmed = instance_.evaluate(i, sought.confirm);
  if (!confirmed) return findings_.add(confirmed.error().message);
  const double tolerance = expected.tolerance == 0 ? 0 : rounding;
  if (!is_near(confirmed->value, expected.value, tolerance))
    add(sought.answer.line,
        fmt::format("the answer {} is {}, and {} says {}", in_quotes(sought.answer.text),
                    show(expected.value, expected.unit), in_quotes(sought.confirm.text),
                    show(confirmed->value, expected.unit)));
}

/// As a learner would type it.
std::string typed(const Asked& asked, const std::vector<double>& values) {
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k)
    text += (k == 0                             ? ""
             : asked.kind == QuestionKind::pick ? "->"
                                                : ", ") +
            show(values[k], asked.expected[k].unit);
  return text;
}

void Rehearsal::check_wrong(std::size_t i, const Mistaken& mistaken, std::uint32_t line) const {
  const auto answer = typed(*instance_.asked(i), mistaken.values);
  const auto verdict = judged(i, answer);
  if (!verdict)
    add(line,
        fmt::format("the wrong answer {} cannot be typed: {}", answer, verdict.error().message));
  else if (verdict->right)
    add(line, fmt::format("the wrong answer {} is right", answer));
  else if (verdict->misconception != mistaken.misconception)
    add(line, fmt::format("the wrong answer {} is taken for {}", answer,
                          verdict->misconception.empty() ? "another without a misconception"
                                                         : verdict->misconception));
}

void Rehearsal::check_blank_wrong(std::size_t i, std::size_t blank) const {
  const Asked& asked = *instance_.asked(i);
  const auto& known = lesson_.beats[i].ask->sought[blank].wrong;
  const Expected& expected = asked.expected[blank];
  for (std::size_t k = 0; k < expected.wrong.size(); ++k) {
    const double value = expected.wrong[k].values[0];
    if (is_near(value, expected.value, expected.tolerance))
      add(known[k].line, fmt::format("the wrong answer {} to {} is right",
                                     show(value, expected.unit), expected.id));
  }
}

void Rehearsal::check_puzzle(std::size_t i) const {
  const Puzzle& puzzle = *instance_.asked(i)->puzzle;
  const auto line = lesson_.beats[i].ask->line;
  const auto start = grade(puzzle, puzzle.start, instance_.laboratory());
  if (!start)
    add(line, "the start of the exercise cannot be read: " + start.error().message);
  else if (start->correct)
    add(line, "the exercise is solved from its start: leave something to do");
  const auto solved = grade(puzzle, puzzle.solution, instance_.laboratory());
  if (!solved)
    return add(line, "the solution of the exercise cannot be read: " + solved.error().message);
  if (!solved->correct)
    return add(line, "the solution of the exercise is wrong: " + solved->problem[0]);
  if (!solved->makes_par())
    add(line, fmt::format("par cannot be reached: the solution takes {}, {} through the busiest "
                          "port and {}; par is {}, {} and {}",
                          counted(solved->steps, "step"), to_string(solved->busiest),
                          to_string(solved->time), counted(puzzle.par.steps, "step"),
                          to_string(puzzle.par.busiest), to_string(puzzle.par.time)));
}

void Rehearsal::check_question(std::size_t i) const {
  const Question& question = *lesson_.beats[i].ask;
  const Asked& asked = *instance_.asked(i);
  if (asked.puzzle) return check_puzzle(i);
  for (std::size_t k = 0; k < asked.expected.size(); ++k)
    check_sought(i, question.sought[k], asked.expected[k]);
  const auto verdict = judged(i, right_answer(asked));
  if (!verdict || !verdict->right)
    add(question.line,
        fmt::format("the right answer, typed as {}, is not taken for right{}",
                    in_quotes(right_answer(asked)), verdict ? "" : ": " + verdict.error().message));
  for (std::size_t k = 0; k < asked.wrong.size(); ++k)
    check_wrong(i, asked.wrong[k], question.wrong[k].line);
  for (std::size_t k = 0; k < asked.expected.size(); ++k) check_blank_wrong(i, k);
}

}  // namespace

void check_numbers(const Lesson& lesson, std::uint64_t seed, const Laboratory& laboratory,
                   Findings& findings) {
  const auto instance = Instance::make(lesson, seed, laboratory);
  if (!instance) return findings.add(instance.error().message);
  Rehearsal(*instance, findings).check();
}

}  // namespace ringside::lessons
