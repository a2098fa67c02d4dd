#include "lessons/course/homework.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <set>

#include "lessons/course/grading.hpp"
#include "tests/lessons/small_course.hpp"

namespace ringside::lessons {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using HomeworkTest = SmallCourse;

TEST_F(HomeworkTest, AsksWhatIsMarkedForItWithNumbersOfTheStudentsOwn) {
  const auto one = assigned("s1");
  ASSERT_EQ(one.items.size(), 4u) << "what is asked in class only is not asked again";
  EXPECT_EQ(to_json(one), to_json(assigned("s1"))) << "the same student, the same numbers";
  std::set<std::string> questions;
  for (int i = 0; i < 20; ++i)
    questions.insert(assigned("s" + std::to_string(i)).items[0].question);
  EXPECT_GT(questions.size(), 5u);
  EXPECT_THAT(one.items[1].how, HasSubstr("96 MB"));
  EXPECT_THAT(one.items[1].given, testing::MatchesRegex("n = [0-9]+, S = [0-9]+ MB"));
  EXPECT_EQ(one.items[2].choices.size(), 2u);
  EXPECT_THAT(one.items[3].answer, HasSubstr("all_reduce 2 ranks"));
}

TEST_F(HomeworkTest, SurvivesTheWayToJsonAndBack) {
  auto homework = solved("李 \"Q\" <s7>");
  homework.items[0].attempts = {"3", "4"};
  homework.items[0].hints = 2;
  homework.seal = seal_of(homework);
  const auto again = homework_from_json(to_json(homework), "hw.json");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, homework);
}

TEST_F(HomeworkTest, RightAnswersAreRightAndNothingIsFlagged) {
  const auto row = graded(solved("s1"));
  EXPECT_EQ(row.problem, "");
  EXPECT_EQ(row.right(), 4u);
  EXPECT_EQ(row.right_at_first(), 4u);
  EXPECT_EQ(row.attempts(), 4u);
  EXPECT_THAT(row.flags, IsEmpty());
}

TEST_F(HomeworkTest, AnswersAreTheStudentsToEdit) {
  auto text = to_json(solved("s1"));
  const auto at = text.find("\"answer\": \"");
  text.replace(at, text.find(",\n", at) - at, "\"answer\": 77");  // a bare number, and wrong
  const auto row = graded(text);
  EXPECT_EQ(row.problem, "");
  EXPECT_EQ(row.right(), 3u);
  EXPECT_THAT(row.flags, IsEmpty());
}

TEST_F(HomeworkTest, AttemptsAndMisconceptionsAreJudgedAnew) {
  auto homework = solved("s1");
  const auto n = std::stoi(homework.items[0].question);
  homework.items[0].attempts = {std::to_string(n - 1), "1000", homework.items[0].answer};
  const auto row = graded(homework);
  EXPECT_TRUE(row.items[0].right);
  EXPECT_FALSE(row.items[0].right_at_first);
  EXPECT_EQ(row.items[0].attempts, 3u);
  EXPECT_THAT(row.items[0].misconceptions, ElementsAre("half-the-ring"));
}

TEST_F(HomeworkTest, AScheduleIsProvenAnew) {
  auto homework = solved("s1");
  homework.items[3].answer = "all_reduce 2 ranks 2 chunks\nstep: 0 -> 1: 0 +; 1 -> 0: 1 +\n";
  auto row = graded(homework);
  EXPECT_FALSE(row.items[3].right);
  EXPECT_THAT(row.items[3].trouble, HasSubstr("At the end rank 0's chunk 0 lacks rank 1's part"));
  homework.items[3].answer = std::string(solution) + "step: 0 -> 1: 0; 1 -> 0: 1\n";
  row = graded(homework);
  EXPECT_FALSE(row.items[3].right);
  EXPECT_THAT(row.items[3].trouble, HasSubstr("Right, but beyond par in steps"));
  row = graded(assigned("s1"));
  EXPECT_FALSE(row.items[3].answered) << "what a puzzle starts with is no answer";
}

// One edit each of what is not theirs.
TEST_F(HomeworkTest, WhatMayNotBeEditedIsSealed) {
  const Homework good = solved("s1");
  const auto edited = [&](const std::function<void(Homework&)>& edit) {
    Homework bad = good;
    bad.items[0].attempts = {"1"};
    const auto seal = "\"seal\": \"" + seal_of(bad);
    edit(bad);
    auto changed = to_json(bad);  // sealed anew, which an editor would not
    changed.replace(changed.find("\"seal\": \""), seal.size(), seal);
    return graded(changed).flags;
  };
  EXPECT_THAT(edited([](Homework&) {}), IsEmpty());
  EXPECT_THAT(edited([](Homework& h) { h.items[0].answer = "5"; }), IsEmpty());
  const std::vector<std::function<void(Homework&)>> edits = {
      [](Homework& h) { h.student = "s2"; },
      [](Homework& h) { h.seed += 1; },
      [](Homework& h) { h.items[0].question += "x"; },
      [](Homework& h) { h.items[0].given = "n = 3"; },
      [](Homework& h) { h.items[2].choices.pop_back(); },
      [](Homework& h) { h.items[0].attempts.clear(); },
      [](Homework& h) { h.items[0].attempts[0] = "2"; },
      [](Homework& h) { h.items[0].hints = 1; },
      [](Homework& h) { h.items.pop_back(); },
      [](Homework& h) { std::swap(h.items[0], h.items[1]); },
      [](Homework& h) { h.items[1].how.clear(); },
      [](Homework& h) { h.language = Language::zh; },
  };
  for (std::size_t i = 0; i < edits.size(); ++i)
    EXPECT_THAT(edited(edits[i]), testing::Contains(HasSubstr("edited"))) << i;
}

TEST_F(HomeworkTest, NumbersOfAnotherSeedAndAnotherLessonAreFlagged) {
  auto row = graded(*assign(instance(1), {"s1", 1}));
  EXPECT_THAT(row.flags, ElementsAre(HasSubstr("those of seed 1, not this student's own")));
  auto homework = assigned("s1");
  homework.items[0].question = "What else?\n";
  homework.seal = seal_of(homework);
  EXPECT_THAT(graded(homework).flags, ElementsAre(HasSubstr("another version of this lesson")));
  homework.lesson = "sourdough";
  EXPECT_THAT(graded(homework).problem, HasSubstr("sourdough"));
}

TEST_F(HomeworkTest, DuplicatesAreFlaggedAndCoincidencesAreNot) {
  std::vector<HandIn> rows;
  const auto add = [&](const Homework& homework, const std::string& file) {
    rows.push_back(graded(homework));
    rows.back().file = file;
  };
  add(solved("s1"), "a.json");
  add(solved("s2"), "b.json");
  auto copied = assigned("s3");  // with s1's answers
  for (std::size_t i = 0; i < 4; ++i) copied.items[i].answer = solved("s1").items[i].answer;
  ASSERT_NE(solved("s3").items[0].answer, copied.items[0].answer) << "numbers must differ here";
  add(copied, "c.json");
  add(solved("s2"), "d.json");
  flag_duplicates(rows);
  EXPECT_THAT(rows[0].flags, ElementsAre(HasSubstr("word for word the answers of c.json")));
  EXPECT_THAT(rows[1].flags, ElementsAre("the same student handed in d.json"));
  EXPECT_THAT(rows[2].flags, ElementsAre(HasSubstr("word for word the answers of a.json")));
  EXPECT_THAT(rows[3].flags, ElementsAre("the same student handed in b.json"));
}

TEST_F(HomeworkTest, OneParagraphSaysWhatMostGotWrong) {
  std::vector<HandIn> rows;
  for (int i = 0; i < 5; ++i) {
    auto homework = solved("s" + std::to_string(i));
    if (i < 4) homework.items[0].answer = std::to_string(std::stoi(homework.items[0].question) - 1);
    rows.push_back(graded(homework));
  }
  rows.push_back(graded("nonsense"));
  EXPECT_EQ(
      class_summary(rows, course_),
      "5 of 6 files could be graded. Most of the class went wrong at steps of lesson small (1 "
      "of 5 right at the first try, 1 in the end; 4 of them believed: \"A ring needs N-1 "
      "steps.\"). Everybody got build of lesson small right in the end.");
}

TEST_F(HomeworkTest, AHostileHandInIsARowThatSaysWhy) {
  const auto good = to_json(solved("s1"));
  const auto with = [&](const std::string& from, const std::string& to) {
    auto text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::pair<std::string, const char*> cases[] = {
      {"", "is not JSON"},
      {std::string("\x7f"
                   "ELF\0\0",
                   6),
       "is not JSON"},
      {std::string(2 << 20, ' '), "is larger than 1 MiB"},
      {std::string(500'000, '['), "nests 4 deep at most"},
      {R"({"a":)" + std::string(400'000, '{'), "nests 4 deep at most"},
      {"[]", "an object"},
      {"{}", "the field \"ringside\" is missing"},
      {with("\"homework\"", "\"ledger\""), "/kind: expected \"homework\", found \"ledger\""},
      {with("\"seed\": ", "\"seed\": 1e999, \"seed\": "), "a number too large"},
      {with("\"seed\": ", "\"seed\": NaN, \"seed\": "), "is not JSON"},
      {with("\"seed\": ", "\"sed\": 1, \"seed\": "), "did you mean seed?"},
      {with("\"student\": \"s1\"", "\"student\": 7"), "/student: expected a word in quotes"},
      {with("\"student\": \"s1\"", "\"student\": \"\\u001b[2J\""), "/student: a student is named"},
      {with("\"language\": \"en\"", "\"language\": \"tlh\""), "/language: "},
      {with("\"hints\": 0", "\"hints\": -1"), "/questions/0/hints: expected a whole number"},
      {with("\"hints\": 0", "\"hints\": 1000000000"), "/questions/0/hints: expected a whole"},
      {with("\"attempts\": []", "\"attempts\": {}"), "/questions/0/attempts: expected a list"},
      {with("\"attempts\": []", "\"attempts\": [1]"), "/questions/0/attempts: expected texts"},
      {with("\"answer\": \"", "\"answer\": {}, \"how\": \""),
       "/questions/0/answer: expected an answer in quotes, or a list of lines, found {}"},
  };
  for (const auto& [text, says] : cases) {
    const auto row = graded(text);
    EXPECT_THAT(row.problem, HasSubstr(says));
    EXPECT_EQ(row.file, "hw.json");
    EXPECT_LT(row.problem.size(), 300u);
  }
  std::string many = R"({"ringside": 1, "kind": "homework", "lesson": "small", "student": "s", )"
                     R"("seed": 1, "language": "en", "seal": "", "questions": [)";
  for (int i = 0; i < 100'000; ++i) many += i == 0 ? "{}" : ",{}";
  EXPECT_THAT(graded(many + "]}").problem, HasSubstr("at most 64 questions"));
}

// Answers that are no answers are wrong, not fatal.
TEST_F(HomeworkTest, AHostileAnswerIsWrong) {
  for (const std::string answer : {"NaN", "inf", "-inf", "1e400", "1000000000000000000000000 GB",
                                   "\x1b[2J", "0x10", "1;DROP", "-1"}) {
    auto homework = solved("s1");
    for (auto& item : homework.items) item.answer = answer;
    const auto row = graded(homework);
    EXPECT_EQ(row.problem, "") << answer;
    EXPECT_EQ(row.right(), 0u) << answer;
    EXPECT_THAT(row.flags, IsEmpty());
  }
  auto homework = solved("s1");
  homework.items[0].answer = std::string(500'000, '9');
  homework.items[3].answer =
      "all_reduce 2 ranks 2 chunks\nstep\n0.scratch -> 1.scratch: 0-8000000\n";
  EXPECT_EQ(graded(homework).right(), 2u);
}

TEST_F(HomeworkTest, ALessonWithoutHomeworkIsRefused) {
  auto lesson = course_.lessons.front();
  for (auto& beat : lesson.beats)
    if (beat.ask) beat.ask->homework = false;
  const auto bare = *Instance::make(lesson, 1, laboratory_);
  const auto refused = assign(bare, {"s1", 1});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no question for homework"));
  EXPECT_FALSE(assign(instance(1), {"", 1}));
  EXPECT_FALSE(assign(instance(1), {"a\nb", 1}));
  EXPECT_FALSE(assign(instance(1), {std::string(65, 'a'), 1}));
  EXPECT_FALSE(assign(instance(1), {"\xff\xfe", 1}));
}

}  // namespace
}  // namespace ringside::lessons
