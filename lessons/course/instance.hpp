#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/expression.hpp"
#include "lessons/course/laboratory.hpp"
#include "lessons/course/lesson.hpp"
#include "lessons/course/puzzle.hpp"

// A lesson with its numbers: what one learner is shown and asked.

namespace ringside::lessons {

struct Mistaken {
  std::vector<double> values{};
  std::string misconception{};
};
/// One number that is asked for.
struct Expected {
  std::string id{};  ///< of a blank
  double value = 0;
  Unit unit = Unit::none;
  double tolerance = 0;
  std::vector<Mistaken> wrong{};  ///< a blank's own
};
struct Option {
  std::string id{};
  bool right = false;
  std::string misconception{};
};
/// A rank's buffers by chunk; empty where there is nothing.
using Cells = std::vector<std::vector<std::optional<double>>>;
/// Before and after one collective, made by the engine. The root is rank 1.
struct Card {
  std::string collective{};
  Cells before{}, after{};  ///< by rank, then chunk
};
struct CurvePoint {
  double x = 0, y = 0;
};
/// A transfer to be guessed.
struct Arrow {
  Rank rank{};
  Step step{};
};

/// A question with its numbers. What is typed for each kind, in answers as in the ledger:
/// number `179.2 MB`; vector `14, 140, 1400`; pick `3`, a link `0->1`; choice its id, or 1 for the
/// first of `options`; blanks `7 GiB; 0.75 GiB`, in order; sort `reduce, broadcast`, by card; draw
/// `1, 1.9, 3.5`, by x; schedule: the text schedule.
struct Asked {
  QuestionKind kind = QuestionKind::number;
  std::vector<Expected> expected{};  ///< as Question::sought
  std::vector<Mistaken> wrong{};
  std::vector<Option> options{};  ///< choice: in the order shown
  Picked what = Picked::rank;
  std::optional<Arrow> arrow{};
  std::vector<Card> cards{};        ///< sort: in the order shown
  std::vector<CurvePoint> curve{};  ///< draw: the truth
  Unit curve_unit = Unit::none;
  double good = 0;  ///< draw: as DrawRule::good
  std::optional<Puzzle> puzzle{};
  Values values{};  ///< the lesson's and its own
};

/// What became of an answer.
struct Verdict {
  bool right = false;
  std::string misconception{};     ///< of a wrong one; empty: none that is known
  std::vector<bool> parts{};       ///< blanks, vector, sort: which are right
  std::optional<double> factor{};  ///< draw: by how much it was off, on average; 1 is perfect
  std::optional<PuzzleGrade> grade{};
};
/// Error: what was typed cannot be read as an answer; nothing is lost by it.
Result<Verdict> judge(const Asked& asked, std::string_view answer, const Laboratory& laboratory);
/// The right answer as it is typed, and as it is shown (`179.2 MB`).
std::string right_answer(const Asked& asked);

/// What the stage shows at a beat.
struct Scene {
  std::string run{};    ///< share string; what an earlier beat showed, if this one says nothing
  std::string rival{};  ///< of a run beside it; empty: none
  std::string at{}, play{};  ///< as moment() takes them; empty: stay, play nothing
};

class Instance {
 public:
  /// Works out all numbers. Seed 0 is the sample: the first value of each variable. Errors start
  /// `file:line: `.
  static Result<Instance> make(const Lesson& lesson, std::uint64_t seed,
                               const Laboratory& laboratory);

  const Lesson& lesson() const { return *lesson_; }
  std::uint64_t seed() const { return seed_; }
  std::size_t size() const { return scenes_.size(); }  ///< beats
  const Beat& beat(std::size_t i) const { return lesson_->beats[i]; }
  const Scene& scene(std::size_t i) const { return scenes_[i]; }
  /// Of a run by its name in the lesson. Errors: none of that name; a name in it that is none.
  Result<std::string> share(std::string_view run) const;
  /// Null: this beat asks nothing.
  const Asked* asked(std::size_t i) const { return asked_[i] ? &*asked_[i] : nullptr; }
  const Values& values() const { return values_; }
  const Laboratory& laboratory() const { return laboratory_; }
  std::optional<std::size_t> find(std::string_view beat) const;  ///< by id, or its number from 1

  /// An expression with the names that hold at this beat. Errors start `file:line: `.
  Result<Quantity> evaluate(std::size_t i, const Expression& expression) const;

  /// Markdown of this beat (any of BeatText's) with its numbers in it. Error: a name that is none.
  Result<std::string> fill(std::size_t i, const Markdown& text) const;
  /// What is said of a beat; `filled` of BeatText::body. A text that is missing is empty.
  std::string body(std::size_t i, Language language) const;
  std::string choice(std::size_t i, std::string_view id, Language language) const;
  std::string hint(std::size_t i, std::size_t nth, Language language) const;  ///< from 0
  std::string response(std::size_t i, const Verdict& verdict, Language language) const;
  std::string notes(std::size_t i, Language language) const;

 private:
  Instance(const Lesson& lesson, std::uint64_t seed, const Laboratory& laboratory);
  Result<Quantity> evaluate(const Values& values, const Expression& expression) const;
  Result<void> draw(const Numbers& numbers, std::string_view salt, Values& values) const;
  Result<void> set_scene(std::size_t i);
  Result<void> ask(std::size_t i);

  std::shared_ptr<const Lesson> lesson_;
  std::uint64_t seed_ = 0;
  Laboratory laboratory_;
  Values values_;
  std::vector<Scene> scenes_;
  std::vector<std::optional<Asked>> asked_;
};

}  // namespace ringside::lessons
