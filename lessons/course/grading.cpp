#include "lessons/course/grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/suggest.hpp"

namespace ringside::lessons {
namespace {

/// Schedules take longer than numbers to judge: of these only the last so many attempts are.
constexpr std::size_t most_proofs = 20;

/// What was tried, the answer last.
std::vector<std::string> attempts_of(const HomeworkItem& item) {
  auto attempts = item.attempts;
  if (!item.answer.empty() && (attempts.empty() || attempts.back() != item.answer))
    attempts.push_back(item.answer);
  return attempts;
}

std::string trouble_of(const Verdict& verdict) {
  if (!verdict.grade) return "";
  const PuzzleGrade& grade = *verdict.grade;
  if (!grade.correct) return grade.problem[static_cast<std::size_t>(Language::en)];
  std::vector<std::string_view> missed;
  if (!grade.within_steps) missed.push_back("steps");
  if (!grade.within_busiest) missed.push_back("the busiest port");
  if (!grade.within_time) missed.push_back("time");
  return missed.empty() ? "" : fmt::format("Right, but beyond par in {}.", fmt::join(missed, ", "));
}

/// `start`: what a puzzle begins with, which is no answer.
GradedItem judged(const Asked& asked, const HomeworkItem& given, const Laboratory& laboratory) {
  GradedItem item{.beat = given.beat, .hints = given.hints};
  const auto attempts = attempts_of(given);
  item.attempts = static_cast<std::uint32_t>(attempts.size());
  const bool is_slow = asked.kind == QuestionKind::schedule && attempts.size() > most_proofs;
  for (std::size_t i = is_slow ? attempts.size() - most_proofs : 0; i < attempts.size(); ++i) {
    const auto verdict = judge(asked, attempts[i], laboratory);
    const bool is_last = i + 1 == attempts.size();
    if (verdict && verdict->right && i == 0) item.right_at_first = true;
    if (is_last) item.right = !given.answer.empty() && verdict && verdict->right;
    if (is_last && verdict) item.trouble = trouble_of(*verdict);
    if (is_last && !verdict) item.trouble = verdict.error().message;
    if (!verdict || verdict->misconception.empty()) continue;
    auto& seen = item.misconceptions;
    if (std::find(seen.begin(), seen.end(), verdict->misconception) == seen.end())
      seen.push_back(verdict->misconception);
  }
  item.answered = !given.answer.empty();
  return item;
}

const HomeworkItem* find(const Homework& homework, std::string_view beat) {
  for (const HomeworkItem& item : homework.items)
    if (item.beat == beat) return &item;
  return nullptr;
}

/// The same question, words and numbers.
bool is_same(const HomeworkItem& given, const HomeworkItem& asked) {
  return given.question == asked.question && given.given == asked.given &&
         given.choices == asked.choices;
}

std::vector<std::string> flags_of(const Homework& homework, bool is_same_question) {
  std::vector<std::string> flags;
  if (homework.seal != seal_of(homework))
    flags.push_back("edited: something else than the answers was changed");
  else if (!is_same_question)
    flags.push_back("assigned from another version of this lesson, which asks other things");
  if (homework.seed != own_seed(homework.student, homework.lesson))
    flags.push_back(
        fmt::format("the numbers are those of seed {}, not this student's own", homework.seed));
  return flags;
}

}  // namespace

std::size_t HandIn::right() const {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const auto& item) { return item.right; }));
}
std::size_t HandIn::right_at_first() const {
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(), [](const auto& item) { return item.right_at_first; }));
}
std::uint32_t HandIn::attempts() const {
  return std::accumulate(items.begin(), items.end(), 0u,
                         [](std::uint32_t sum, const auto& item) { return sum + item.attempts; });
}

Result<HandIn> Grader::graded(const Homework& homework) const {
  RS_ASSIGN(const Lesson* lesson, find_lesson(*course_, homework.lesson));
  RS_ASSIGN(const Instance instance, homework_instance(*lesson, homework.seed, laboratory_));
  RS_ASSIGN(const Homework fresh,
            assign(instance, {homework.student, homework.seed, homework.language}));
  HandIn hand_in{.student = homework.student, .lesson = lesson->name};
  bool is_same_question = true;
  for (const HomeworkItem& asked : fresh.items) {
    const HomeworkItem* given = find(homework, asked.beat);
    is_same_question = is_same_question && given != nullptr && is_same(*given, asked);
    HomeworkItem answered = given ? *given : HomeworkItem{.beat = asked.beat};
    if (answered.answer == asked.answer) answered.answer.clear();  // a puzzle's start is no answer
    const Asked& question = *instance.asked(*instance.find(asked.beat));
    hand_in.items.push_back(judged(question, answered, laboratory_));
    hand_in.answers += answered.answer + "\n";
    hand_in.expected += right_answer(question) + "\n";
  }
  hand_in.flags = flags_of(homework, is_same_question);
  return hand_in;
}

HandIn Grader::grade(std::string_view text, const std::string& file) const {
  const auto homework = homework_from_json(text, file);
  const auto hand_in = homework ? graded(*homework) : tl::unexpected<Error>(homework.error());
  HandIn row = hand_in ? *hand_in : HandIn{.problem = hand_in.error().message};
  if (!hand_in && homework) row.student = homework->student;
  if (!hand_in && homework) row.lesson = homework->lesson.substr(0, 64);
  row.file = file;
  return row;
}

void flag_duplicates(std::vector<HandIn>& hand_ins) {
  std::map<std::pair<std::string, std::string>, std::vector<HandIn*>> by_student, by_answers;
  for (HandIn& one : hand_ins) {
    if (!one.problem.empty()) continue;
    by_student[{one.lesson, one.student}].push_back(&one);
    const auto answered = std::count_if(one.items.begin(), one.items.end(),
                                        [](const auto& item) { return item.answered; });
    if (answered >= 2) by_answers[{one.lesson, one.answers}].push_back(&one);
  }
  const auto flag = [](const std::vector<HandIn*>& group, const auto& is_meant,
                       std::string_view what) {
    for (HandIn* one : group)
      for (const HandIn* other : group)
        if (one != other && is_meant(*one, *other)) {
          one->flags.push_back(fmt::format("{} {}", what, other->file));
          break;
        }
  };
  for (const auto& [who, group] : by_student)
    flag(
        group, [](const auto&, const auto&) { return true; }, "the same student handed in");
  for (const auto& [what, group] : by_answers)
    flag(
        group,
        [](const HandIn& a, const HandIn& b) {
          return a.student != b.student && a.expected != b.expected;
        },
        "other numbers, but word for word the answers of");
}

}  // namespace ringside::lessons
