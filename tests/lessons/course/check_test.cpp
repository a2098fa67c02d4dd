// `learn --check` finds what is planted, and says where and what.

#include "lessons/course/check.hpp"

#include <gmock/gmock.h>

#include "tests/lessons/course/template.hpp"

namespace ringside::lessons {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// What is found once `old` is replaced in a file of a lesson that was right before.
std::string after(const std::string& file, const std::string& old, const std::string& by) {
  const TemplateCourse course;
  course.replace(file, old, by);
  return course.check();
}

TEST(Check, TheTemplateIsRight) {
  EXPECT_THAT(TemplateCourse().check(16), IsEmpty());
}

TEST(Check, AWrongAnswer) {
  EXPECT_THAT(after("lesson.toml", R"(answer = "(n - 1) * S")", R"(answer = "n * S + 1")"),
              HasSubstr("the answer \"n * S + 1\" is 240 MB, and \"total('line')\" says 180 MB"));
}

TEST(Check, AnAnswerThatIsWrongForSomeSeedsOnly) {
  EXPECT_THAT(after("lesson.toml", R"(answer = "n - 1")", R"(answer = "3")"),
              HasSubstr(R"(with seed)"));
}

TEST(Check, AMissingChineseBeat) {
  EXPECT_THAT(after("zh.md", "## watch\n", "## watches\n"),
              AllOf(HasSubstr("zh.md:1: the beat watch is missing: write `## watch`"),
                    HasSubstr(R"(lesson.toml has no beat "watches")")));
}

TEST(Check, AnExerciseSolvedFromItsStart) {
  EXPECT_THAT(after("start.txt", "# two ranks have it now: go on", "step 1: 0 -> 2: 0; 1 -> 3: 0"),
              HasSubstr("the exercise is solved from its start"));
}

TEST(Check, ASolutionThatIsWrong) {
  EXPECT_THAT(after("solution.txt", "; 2 -> 3: 0", ""),
              HasSubstr("the solution of the exercise is wrong: "));
}

TEST(Check, ParThatNobodyReaches) {
  EXPECT_THAT(after("lesson.toml", R"(steps = "2")", R"(steps = "1")"),
              HasSubstr("par cannot be reached: the solution takes 2 steps"));
}

TEST(Check, TwoRightChoices) {
  EXPECT_THAT(after("lesson.toml", R"(misconception = "barrier-each-step")", "right = true"),
              HasSubstr("exactly one choice must be right, and with seed 0 2 are"));
}

TEST(Check, AMissingHint) {
  EXPECT_THAT(after("en.md", "### hint 3\n{n} GPUs in a line", "### notes\n{n} GPUs in a line"),
              HasSubstr("en.md:13: the beat how-many-steps needs `### hint 3`"));
}

TEST(Check, AMisconceptionThatNobodyKnows) {
  EXPECT_THAT(after("lesson.toml", R"("barrier-each-step")", R"("barier-each-step")"),
              HasSubstr(R"(misconceptions.toml has no "barier-each-step")"));
}

TEST(Check, AWrongAnswerThatIsRight) {
  EXPECT_THAT(after("lesson.toml", R"(value = "n * S")", R"(value = "S * n - S")"),
              HasSubstr("the wrong answer 180 MB is right"));
}

TEST(Check, ABlanksWrongAnswerThatIsRight) {
  EXPECT_THAT(after("lesson.toml", R"([{ value = "S / B")", R"([{ value = "S / B * n_less")"),
              HasSubstr("the wrong answer 7.2 ms to time is right"));
}

TEST(Check, AWrongAnswerInTheShadowOfAnother) {
  EXPECT_THAT(after("lesson.toml", R"(value = "n")", R"(value = "0 + 1")"),
              HasSubstr("the wrong answer 1 is taken for fewer-steps-faster"));
}

TEST(Check, ADeadLinkAndALookThatIsNone) {
  EXPECT_THAT(after("en.md", "Watch the data", "[Watch](../nowhere.md) the data"),
              HasSubstr(R"(the link to "../nowhere.md" leads nowhere)"));
  EXPECT_THAT(after("lesson.toml", "look = [\"values\"]", "look = [\"vales\"]"),
              HasSubstr(R"(there is no look "vales"; did you mean values?)"));
}

TEST(Check, ANumberThatDiffersInChinese) {
  EXPECT_THAT(after("zh.md", "4 张 GPU 编一个 2 步", "4 张 GPU 编一个 3 步"),
              HasSubstr("zh.md:112: the text of build-it does not have the number 2"));
  EXPECT_THAT(after("zh.md", "{n} 张 GPU 排成一条线。rank", "一些 GPU 排成一条线。rank"),
              HasSubstr("the text of one-has-it does not have {n}"));
}

TEST(Check, AWordThatTheGlossaryRefuses) {
  EXPECT_THAT(after("zh.md", "字节数一样。", "全规约也一样。"),
              HasSubstr("全规约 is refused by the glossary: All-Reduce is 全归约 in Chinese"));
}

TEST(Check, ANameThatIsNoNumberAndAGivenAwayAnswer) {
  EXPECT_THAT(after("en.md", "{n_less} times {whole:time}", "{n_les} times {whole:time}"),
              HasSubstr(R"(there is no number "n_les"; did you mean n_less?)"));
  EXPECT_THAT(after("en.md", "Count the arrows between the GPUs.", "It is {answer}."),
              HasSubstr("the hint 1 of how-many-steps gives the answer away"));
}

TEST(Check, ARunThatFailsAndAMomentThatIsNone) {
  EXPECT_THAT(after("lesson.toml", "binomial?", "binomal?"), HasSubstr("binomal"));
  EXPECT_THAT(after("lesson.toml", R"(at = "step {s}")", R"(at = "step {n}9")"),
              HasSubstr("is no moment of this run: write start, end, 35%, or step 0 to step 3"));
}

TEST(Check, ATimeAskedForAsASize) {
  EXPECT_THAT(after("lesson.toml", "unit = \"time\"", "unit = \"bytes\""),
              HasSubstr("is a time, and is asked for as something else"));
}

TEST(Check, ATextTooLongForThePlaceBesideTheStage) {
  std::string much = "Watch";
  for (int i = 0; i < 120; ++i) much += " on";
  EXPECT_THAT(after("en.md", "Watch the data", much + " the data"),
              HasSubstr("fit beside the stage"));
}

TEST(Check, ABlankThatIsNone) {
  EXPECT_THAT(after("zh.md", "[[time]]", "[[tmie]]"),
              AllOf(HasSubstr("the blank [[time]] is nowhere in last-step"),
                    HasSubstr(R"(lesson.toml has no blank "tmie" here)")));
}

TEST(Check, WhatOnlyAWholeCourseCanLack) {
  const TemplateCourse folder;
  folder.replace("zh.md", "这就是广播（Broadcast）。", "这就是广播。");
  const auto course = load_course(folder.folder());
  ASSERT_TRUE(course);
  const stage::Shelf shelf;
  std::string all;
  for (const Finding& finding : check_course(*course, shelf.laboratory(), {.seeds = 1}))
    all += finding.sentence + "\n";
  EXPECT_THAT(all, HasSubstr("no lesson in Chinese introduces 广播: write 广播（Broadcast）"));
  EXPECT_THAT(all, HasSubstr("no wrong answer of any lesson is due to baidu-invented-it"));
}

/// 10^9 of anything is one sentence, at once.
TEST(Check, SizesThatNobodyMeant) {
  EXPECT_THAT(after("lesson.toml", "n = [4, 3, 5, 6]", "n = [1000000000]"),
              HasSubstr("1000000000"));
  EXPECT_THAT(after("lesson.toml", R"(ranks = "4")", R"(ranks = "1000000000")"),
              HasSubstr("a whole number from 0 on was expected"));
  EXPECT_THAT(after("lesson.toml", R"(chunks = "1")", R"(chunks = "1000000000")"),
              HasSubstr("a whole number from 0 on was expected"));
  EXPECT_THAT(after("lesson.toml", "S = [\"60MB\"", "S = [\"60000000TB\""), Not(IsEmpty()));
  EXPECT_THAT(after("lesson.toml", "confirm = \"total('line')\"",
                    "confirm = \"zero_sent(1, 1000000000, S)\""),
              HasSubstr("1000000000"));
  EXPECT_THAT(after("lesson.toml", "confirm = \"total('line')\"",
                    "confirm = \"bucket_step(256, S/B, S, 1024, B, 1 * us)\""),
              HasSubstr("says"));
  EXPECT_THAT(after("lesson.toml", "confirm = \"total('line')\"",
                    "confirm = \"bucket_step(4096, S/B, S, 4, B, 1 * us)\""),
              HasSubstr("the number of GPUs is a whole number from 1 to 256"));
}

/// Every lesson that is shipped, with a few seeds; CI's `learn --check` tries more.
TEST(CheckFull, EveryLessonIsRight) {
  const auto course = load_course(RINGSIDE_SOURCE_DIR "/lessons");
  ASSERT_TRUE(course) << course.error().message;
  const stage::Shelf shelf;
  for (const Finding& finding : check_course(*course, shelf.laboratory(), {.seeds = 32}))
    ADD_FAILURE() << finding.sentence;
}

}  // namespace
}  // namespace ringside::lessons
