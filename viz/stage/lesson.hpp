#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"
#include "lessons/course/course.hpp"
#include "lessons/course/sitting.hpp"

namespace ringside::stage {

struct Draw;
struct Model;
struct StagedRun;
class Director;
enum class Command : std::uint8_t;
enum class Language : std::uint8_t;

/// A lesson that is being sat, and what of an answer is there before it is locked in.
struct LessonState {
  lessons::Sitting sitting;
  /// What has been typed, picked or drawn: one of each blank, card or point; else one.
  std::vector<std::string> entries{};
  std::string complaint{};     ///< why it cannot be locked in, in English; empty: nothing was wrong
  bool is_incomplete = false;  ///< nor can it as long as something is left open
  bool is_class = false;       ///< `--present`: one button, hands are counted, nothing is typed
  bool is_covered = false;     ///< what was revealed is hidden again
  bool is_placed = false;      ///< the stage stands where the beat wants it

  const lessons::Beat& beat() const { return sitting.instance().beat(sitting.beat()); }
  const lessons::Asked* asked() const { return sitting.instance().asked(sitting.beat()); }
  bool is_shut() const { return !lessons::is_open(sitting.gate()); }
  bool is_asking() const {
    return sitting.gate() == lessons::Gate::asking || sitting.gate() == lessons::Gate::voting;
  }
};

/// The lessons that there are, and what has been done of them. Who reads files fills it in.
struct Classroom {
  std::shared_ptr<const lessons::Course> course{};  ///< null: none were found
  std::string no_course{};                          ///< why
  lessons::Laboratory laboratory{};
  lessons::Ledger ledger{};
  std::uint64_t seed = 0;
  bool is_class = false;  ///< lessons are presented
};

/// The answer is shown to those who have tried, or used every hint; to a class whenever its
/// lecturer likes.
bool may_reveal(const LessonState& lesson);

lessons::Language text_language(Language language);

/// Opens a lesson by number or name, at a beat (its id, or its number from 1; empty: where it was
/// left). Errors: there is none such, or its numbers do not come out.
Result<void> open_lesson(Model& model, std::string_view lesson, std::string_view beat,
                         Director& director);
/// Commands of a lesson. False if it is none of them, or no lesson is open.
bool teach(Model& model, Command command, Director& director);
/// A digit: a pick or a choice; in a class, a raised hand.
void take_digit(Model& model, unsigned digit);
/// Part of the answer, as it is typed.
void enter(Model& model, std::size_t nth, std::string text);
/// All of the answer, locked in.
void answer(Model& model, std::string_view text, Director& director);
/// What was drawn is the answer to a question for a curve.
void draw_answer(Model& model, const Draw& stroke);
/// What was selected on the stage is the answer to a question that asks for such a thing.
void take_pick(Model& model);

/// Puts the clock where the beat wants it, once what it shows is on the stage.
void place(Model& model);

/// What is still to happen must not be seen: a question about it is open.
bool hides_future(const Model& model);
/// A transfer that begins where the gate stands is on its way only once that is open.
bool is_to_come(const Model& model, const StagedRun& run, TransferId id);
/// The open beat lets the learner change this field.
bool lets_edit(const Model& model, std::string_view field);
/// Nothing else than that may be changed now.
bool lets(const Model& model, Command command);
/// The beat asks for this look.
bool looks(const Model& model, std::string_view name);

/// A lesson's questions, and how many of them are done, by the ledger.
struct Progress {
  std::size_t done = 0, questions = 0;
  bool is_finished = false;
};
Progress progress_of(const Classroom& classroom, const lessons::Lesson& lesson);

}  // namespace ringside::stage
