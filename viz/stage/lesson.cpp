#include "viz/stage/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/assert.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/lesson_stage.hpp"
#include "viz/stage/refusal.hpp"

namespace ringside::stage {
namespace {

using lessons::Gate;
using lessons::QuestionKind;

/// Into how many fields an answer is filled.
std::size_t fields_of(const lessons::Asked& asked) {
  switch (asked.kind) {
    case QuestionKind::blanks:
      return asked.expected.size();
    case QuestionKind::sort:
      return asked.cards.size();
    case QuestionKind::draw:
      return asked.curve.size();
    default:
      return 1;
  }
}

/// What stands between two parts of an answer as it is typed.
char separator(QuestionKind kind) {
  return kind == QuestionKind::blanks ? ';' : ',';
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

/// An answer as it was typed, by its fields.
std::vector<std::string> split(const lessons::Asked& asked, std::string_view answer) {
  const std::size_t count = fields_of(asked);
  if (count == 1 && asked.kind != QuestionKind::blanks) return {std::string(answer)};
  std::vector<std::string> parts;
  for (;;) {
    const auto end = answer.find(separator(asked.kind));
    parts.push_back(trimmed(answer.substr(0, end)));
    if (end == std::string_view::npos) break;
    answer.remove_prefix(end + 1);
  }
  parts.resize(count);
  return parts;
}

std::string joined(const lessons::Asked& asked, const std::vector<std::string>& entries) {
  return fmt::format("{}", fmt::join(entries, std::string(1, separator(asked.kind)) + " "));
}

void remember(Model& model) {
  model.classroom.ledger.put(model.lesson->sitting.record());
}

/// Entries as the question has them: what was answered, or nothing yet.
void lay_out(LessonState& lesson) {
  lesson.entries.clear();
  lesson.complaint.clear();
  lesson.is_incomplete = false;
  const auto* asked = lesson.asked();
  if (asked == nullptr) return;
  if (const auto last = lesson.sitting.last_answer(); !last.empty())
    lesson.entries = split(*asked, last);
  else
    lesson.entries.resize(fields_of(*asked));
  if (asked->puzzle && lesson.entries.front().empty())
    lesson.entries.front() = asked->puzzle->start;
}

void arrive(Model& model, Director& director) {
  lay_out(*model.lesson);
  model.lesson->is_covered = false;
  set_stage(model, director);
  remember(model);
}

/// What a gate's opening brings with it: the clock goes on.
void after_lock(Model& model) {
  remember(model);
  if (!model.lesson->is_shut()) let_play(model);
}

void lock(Model& model) {
  LessonState& lesson = *model.lesson;
  const auto* asked = lesson.asked();
  if (asked == nullptr || !lesson.is_asking()) return;
  lesson.is_incomplete =
      std::ranges::any_of(lesson.entries, [](const std::string& entry) { return entry.empty(); });
  lesson.complaint.clear();
  if (lesson.is_incomplete) return;
  const auto verdict = lesson.sitting.lock(joined(*asked, lesson.entries));
  if (!verdict) {
    lesson.complaint = verdict.error().message;
    return;
  }
  after_lock(model);
}

void go_on(Model& model, Director& director) {
  if (model.lesson->sitting.next()) return arrive(model, director);
  if (!model.lesson->is_shut()) model.shows_lessons = true;  // this was the last beat
}

/// A clicker's button, of which a class sees no gate that stays shut.
void advance(Model& model, Director& director) {
  LessonState& lesson = *model.lesson;
  const std::size_t before = lesson.sitting.beat();
  const bool was_shut = lesson.is_shut();
  if (!lesson.sitting.advance_class()) {
    model.shows_lessons = true;
    return;
  }
  if (lesson.sitting.beat() != before) return arrive(model, director);
  if (const auto last = lesson.sitting.last_answer(); !last.empty())
    lesson.entries = split(*lesson.asked(), last);
  remember(model);
  if (was_shut && !lesson.is_shut()) let_play(model);
}

/// The main button: what is to be done next.
void main_button(Model& model, Director& director) {
  LessonState& lesson = *model.lesson;
  if (lesson.sitting.gate() == Gate::wrong) {
    lesson.sitting.retry();
    remember(model);
  } else if (lesson.is_shut()) {
    lock(model);
  } else {
    go_on(model, director);
  }
}

/// To those who have tried, or asked for all help there is; to a lecturer always. Once it is open,
/// what it showed is covered, and shown again.
void reveal(Model& model) {
  LessonState& lesson = *model.lesson;
  if (!lesson.is_shut()) {
    lesson.is_covered = !lesson.is_covered;
    return;
  }
  if (!may_reveal(lesson)) return;
  lesson.sitting.reveal();
  after_lock(model);
}

}  // namespace

lessons::Language text_language(Language language) {
  return language == Language::chinese ? lessons::Language::zh : lessons::Language::en;
}

bool may_reveal(const LessonState& lesson) {
  return lesson.is_class || lesson.sitting.attempts() > 0 ||
         lesson.sitting.hints() == lessons::hint_count;
}

Result<void> open_lesson(Model& model, std::string_view name, std::string_view beat,
                         Director& director) {
  Classroom& room = model.classroom;
  if (!room.course) return bad_request(room.no_course);
  RS_ASSIGN(const auto* const lesson, lessons::find_lesson(*room.course, name));
  RS_ASSIGN(auto instance, lessons::Instance::make(*lesson, room.seed, room.laboratory));
  const auto shared = std::make_shared<const lessons::Instance>(std::move(instance));
  const auto* known = room.ledger.find(lesson->name, room.seed);
  lessons::Sitting sitting(shared, known != nullptr ? *known : lessons::Record{});
  if (!beat.empty()) {
    const auto found = shared->find(beat);
    if (!found)
      return bad_request(
          fmt::format("lesson {} has no beat '{}': expected 1 to {}, or a name such "
                      "as {}",
                      lesson->number, beat, shared->size(), shared->beat(0).id));
    sitting.go(*found);
  }
  model.lesson = LessonState{.sitting = std::move(sitting), .is_class = room.is_class};
  model.shows_lessons = false;
  model.refusal = {};
  arrive(model, director);
  return {};
}

bool teach(Model& model, Command command, Director& director) {
  if (command == Command::lessons) {
    model.shows_lessons = !model.shows_lessons;
    return true;
  }
  if (!model.lesson) return false;
  lessons::Sitting& sitting = model.lesson->sitting;
  switch (command) {
    case Command::lesson_on:
      model.lesson->is_class ? advance(model, director) : go_on(model, director);
      return true;
    case Command::lesson_back:
      if (sitting.back()) arrive(model, director);
      return true;
    case Command::lock:
      main_button(model, director);
      return true;
    case Command::hint:
      sitting.hint();
      remember(model);
      return true;
    case Command::reveal:
      reveal(model);
      return true;
    case Command::skip:
      if (model.lesson->is_shut()) sitting.skip();
      after_lock(model);
      return true;
    case Command::leave_lesson:
      model.lesson.reset();
      model.playback.gate.reset();
      model.playback.stop.reset();
      model.shows_lessons = false;
      return true;
    default:
      return false;
  }
}

void take_digit(Model& model, unsigned digit) {
  if (!model.lesson || !model.lesson->is_asking()) return;
  LessonState& lesson = *model.lesson;
  const auto& asked = *lesson.asked();
  if (asked.kind == QuestionKind::choice) {
    if (digit < 1 || digit > asked.options.size()) return;
    if (lesson.is_class)
      lesson.sitting.vote(digit);
    else
      lesson.entries.front() = asked.options[digit - 1].id;
  } else if (asked.kind == QuestionKind::pick && asked.what != lessons::Picked::link) {
    lesson.entries.front() = std::to_string(digit);
  }
  lesson.complaint.clear();
  lesson.is_incomplete = false;
}

void enter(Model& model, std::size_t nth, std::string text) {
  if (!model.lesson || !model.lesson->is_asking() || nth >= model.lesson->entries.size()) return;
  model.lesson->entries[nth] = std::move(text);
  model.lesson->complaint.clear();
  model.lesson->is_incomplete = false;
}

void answer(Model& model, std::string_view text, Director& /*director*/) {
  if (!model.lesson || model.lesson->asked() == nullptr) return;
  if (model.lesson->sitting.gate() == Gate::wrong) model.lesson->sitting.retry();
  if (!model.lesson->is_asking()) return;
  model.lesson->entries = split(*model.lesson->asked(), text);
  lock(model);
}

void draw_answer(Model& model, const Draw& stroke) {
  if (!model.lesson || !model.lesson->is_asking()) return;
  const auto& asked = *model.lesson->asked();
  if (asked.kind != QuestionKind::draw) return;
  std::vector<double> xs;
  for (const auto& point : asked.curve) xs.push_back(point.x);
  for (const auto& [i, height] : under(xs, stroke)) enter(model, i, fmt::format("{:.4g}", height));
}

void take_pick(Model& model) {
  if (!model.lesson || !model.lesson->is_asking() || !model.run) return;
  const auto& asked = *model.lesson->asked();
  if (asked.kind != QuestionKind::pick) return;
  if (const auto text = answer_of(*model.run, asked.what, model.selected)) enter(model, 0, *text);
}

Progress progress_of(const Classroom& classroom, const lessons::Lesson& lesson) {
  Progress progress;
  for (const auto& beat : lesson.beats) progress.questions += beat.ask ? 1 : 0;
  const auto* record = classroom.ledger.find(lesson.name, classroom.seed);
  if (record == nullptr) return progress;
  progress.is_finished = record->finished;
  for (const auto& question : record->questions) {
    const bool is_answered = !question.answers.empty() && question.answers.back().right;
    progress.done += is_answered || question.revealed || question.skipped ? 1 : 0;
  }
  return progress;
}

}  // namespace ringside::stage
