// A lesson in the terminal, typed at.

#include "viz/terminal/tutor.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "tests/lessons/course/template.hpp"
#include "viz/terminal/lesson_scene.hpp"
#include "viz/terminal/prose_view.hpp"

namespace ringside::terminal {
namespace {

using lessons::Instance;
using lessons::Language;
using testing::HasSubstr;
using testing::Not;

struct Told {
  std::string text;
  lessons::Record record;
};

/// What is said to somebody who types that, and what became of it.
Told typed(const std::string& lines, Language language = Language::en, std::uint64_t seed = 0) {
  static const stage::Shelf shelf;
  const auto lesson = lessons::load_lesson(RINGSIDE_SOURCE_DIR "/lessons/template");
  EXPECT_TRUE(lesson);
  auto instance = Instance::make(*lesson, seed, shelf.laboratory());
  EXPECT_TRUE(instance);
  lessons::Sitting sitting(std::make_shared<const Instance>(*std::move(instance)));
  std::istringstream in(lines);
  std::ostringstream out;
  tutor(sitting, {.language = language}, in, out);
  return {out.str(), sitting.record()};
}

TEST(Tutor, DrawsTheRunAtItsMoment) {
  const auto told = typed("").text;
  EXPECT_THAT(told, HasSubstr("chain broadcast of 60 MB on ring: 4 ranks\n"))
      << "its time may be what is asked";
  EXPECT_THAT(told, HasSubstr("4 GPUs stand in a line. Rank 0 has 60 MB"));
  EXPECT_THAT(told, HasSubstr("Stopped at 1 of 10."));
}

TEST(Tutor, DrawsWhatRanksHoldWhereABeatLooksAtIt) {
  const stage::Shelf shelf;
  auto lesson = lessons::load_lesson(RINGSIDE_SOURCE_DIR "/lessons/template");
  ASSERT_TRUE(lesson);
  const auto drawn = [&](std::vector<std::string> look) {
    lesson->beats[0].look = std::move(look);
    const auto instance = Instance::make(*lesson, 0, shelf.laboratory());
    return draw_scene(*instance, 0, {});
  };
  EXPECT_THAT(drawn({"values"}), HasSubstr("rank 3"));
  EXPECT_THAT(drawn({"race"}), Not(HasSubstr("rank 3")));
  EXPECT_THAT(drawn({"race"}), HasSubstr("4 ranks"));
}

TEST(Tutor, GoesNowhereWithoutAnAnswer) {
  const auto told = typed("\n\n\n\nnext\nshow\n");
  EXPECT_THAT(told.text, HasSubstr("First try, or ask for a hint"));
  EXPECT_EQ(told.record.beat, "how-many-steps");
  EXPECT_TRUE(told.record.questions.empty());
}

TEST(Tutor, SaysWhyAnAnswerIsWrongAndLetsOneTryAgain) {
  const auto told = typed("\nperhaps\n1\n4\n3\n");
  EXPECT_THAT(told.text, HasSubstr("\"perhaps\" is not a number of steps, such as 6"));
  EXPECT_THAT(told.text, HasSubstr("One step would need a wire from rank 0 to everyone."));
  EXPECT_THAT(told.text, HasSubstr("Right.\n3: one for each gap."));
  ASSERT_EQ(told.record.questions.size(), 1u);
  EXPECT_EQ(told.record.questions[0].answers.size(), 3u);
  EXPECT_EQ(told.record.questions[0].answers[0].misconception, "fewer-steps-faster");
}

TEST(Tutor, KeepsProgressAfterEveryAnswer) {
  const stage::Shelf shelf;
  const auto lesson = lessons::load_lesson(RINGSIDE_SOURCE_DIR "/lessons/template");
  const auto instance = Instance::make(*lesson, 0, shelf.laboratory());
  lessons::Sitting sitting(std::make_shared<const Instance>(*instance));
  std::vector<std::size_t> attempts;
  std::istringstream in("\n1\n3\n");
  std::ostringstream out;
  const auto keep = [&] { attempts.push_back(sitting.attempts()); };
  tutor(sitting, {.keep = keep}, in, out);
  EXPECT_THAT(attempts, testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(out.str(), HasSubstr("The same command goes on from here."));
}

TEST(Tutor, HintsThenTheAnswer) {
  const auto told = typed("\nhint\nhint\nhint\nhint\nshow\n\n");
  EXPECT_THAT(told.text, HasSubstr("Hint 3 of 3"));
  EXPECT_THAT(told.text, HasSubstr("There are no more hints"));
  EXPECT_THAT(told.text, HasSubstr("The answer: 3"));
  EXPECT_EQ(told.record.beat, "watch");
  EXPECT_TRUE(told.record.questions[0].revealed);
}

constexpr const char* whole_lesson =
    "\n3\n\n\npasses-on\n\n7.2 ms\n\n1\n\n180 MB\n\n"
    "broadcast 4 ranks 1 chunks root 0\nstep 0: 0 -> 2: 0\nstep 1: 0 -> 1: 0; 2 -> 3: 0\n.\n\n"
    "halves\n\n\n";

TEST(Tutor, RightAnswersLeadToTheEndInBothLanguages) {
  const auto english = typed(whole_lesson), chinese = typed(whole_lesson, Language::zh);
  EXPECT_TRUE(english.record.finished) << english.text;
  EXPECT_THAT(english.text, HasSubstr("That was the lesson: 7 of 7 answered right."));
  EXPECT_THAT(chinese.text, HasSubstr("本课结束：共 7 题，答对 7 题。"));
  EXPECT_THAT(chinese.text, Not(HasSubstr("Right.")));
}

/// All that the right answers to a lesson look like, typed.
std::string right_lines(const Instance& instance) {
  std::string lines;
  for (std::size_t i = 0; i < instance.size(); ++i) {
    if (const auto* asked = instance.asked(i)) {
      lines += right_answer(*asked) + "\n";
      if (asked->puzzle) lines += ".\n";
    }
    lines += "\n";
  }
  return lines;
}

TEST(Tutor, EveryLessonEndsAfterRightAnswers) {
  const stage::Shelf shelf;
  const auto course = lessons::load_course(RINGSIDE_SOURCE_DIR "/lessons");
  ASSERT_TRUE(course);
  EXPECT_EQ(course->lessons.size(), 12u);
  for (const auto& lesson : course->lessons)
    for (const Language language : lessons::languages) {
      const auto instance = Instance::make(lesson, 1, shelf.laboratory());
      ASSERT_TRUE(instance) << instance.error().message;
      lessons::Sitting sitting(std::make_shared<const Instance>(*instance));
      std::istringstream in(right_lines(*instance));
      std::ostringstream out;
      tutor(sitting, {.language = language}, in, out);
      EXPECT_TRUE(sitting.is_finished()) << lesson.name << out.str();
      EXPECT_THAT(out.str(), Not(HasSubstr("there is no number"))) << lesson.name;
    }
}

TEST(Prose, WrapsAndCountsChineseTwice) {
  EXPECT_EQ(columns_of("ring 环"), 7u);
  EXPECT_EQ(draw_prose("one two three", 8, {}), "one two\nthree\n");
  EXPECT_EQ(draw_prose("一二三四五六。", 8, {}), "一二三四\n五六。\n");
  EXPECT_EQ(draw_prose("- a **b**\n- c", 40, {.colour = true}), "  - a \033[1mb\033[0m\n  - c\n");
  EXPECT_EQ(draw_prose("It takes [[time]].", 40, {}), "It takes [time: ____].\n");
  EXPECT_EQ(draw_prose("| a | 环 |\n|---|---|\n| bcd | e |", 40, {}),
            "  a    环\n  ---  --\n  bcd  e\n");
  EXPECT_EQ(draw_prose("", 40, {}), "");
}

}  // namespace
}  // namespace ringside::terminal
