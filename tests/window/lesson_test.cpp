// Lessons in the window: every shipped one is sat to its end, in both languages.

#include <gmock/gmock.h>

#include "tests/window/script.hpp"
#include "viz/panels/fonts.hpp"
#include "viz/stage/classroom.hpp"

namespace ringside::window {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const folder = RINGSIDE_SOURCE_DIR "/lessons";

/// As a script says it: without remarks, which would end its line.
std::string in_one_line(std::string answer) {
  for (std::size_t at = 0; (at = answer.find('#', at)) != std::string::npos;)
    answer.erase(at, answer.find('\n', at) - at);
  for (std::size_t at = 0; (at = answer.find('\n', at)) != std::string::npos;)
    answer.replace(at, 1, "\\n");
  return answer;
}

/// A wrong answer of every kind that the lesson knows, at one beat.
std::vector<std::string> wrong_answers(const lessons::Asked& asked) {
  std::vector<std::string> all;
  for (const auto& option : asked.options)
    if (!option.right) all.push_back(option.id);
  return all;
}

struct LessonRun {
  std::string lines;
  std::size_t questions = 0;
};
/// Answers every question rightly; with `errs`, wrongly before, in every way there is.
LessonRun sat_through(const stage::Classroom& room, const lessons::Lesson& lesson, bool errs) {
  LessonRun run{"lesson " + std::to_string(lesson.number) + " 1\n"};
  const auto instance = lessons::Instance::make(lesson, 0, room.laboratory);
  EXPECT_TRUE(instance) << instance.error().message;
  for (std::size_t i = 0; instance && i < instance->size(); ++i) {
    if (const auto* asked = instance->asked(i)) {
      ++run.questions;
      run.lines += "key PageDown\ndo to_end\n";
      if (errs)
        for (const auto& wrong : wrong_answers(*asked))
          run.lines += "answer " + wrong + "\nframes 1\n";
      run.lines += "answer " + in_one_line(lessons::right_answer(*asked)) + "\n";
    }
    run.lines += "frames 2\n";
    if (i + 1 < instance->size()) run.lines += "key PageDown\n";
  }
  return run;
}

class Lessons : public Scripted {
 protected:
  void sit(const std::string& name, const std::string& language, bool errs) const {
    const auto room = stage::open_classroom(folder, "");
    ASSERT_TRUE(room && room->course);
    const auto lesson = lessons::find_lesson(*room->course, name);
    ASSERT_TRUE(lesson) << lesson.error().message;
    const auto run = sat_through(*room, **lesson, errs);
    play(run.lines + "dump end\nread words\n", "--lang " + language + " --ledger ledger.json");
    const auto end = state("end")["lesson"];
    EXPECT_EQ(end["beat_number"], end["beats"]) << name << " " << end;
    EXPECT_EQ(end["finished"], true) << name;
    EXPECT_THAT(contents(at("ledger.json")), HasSubstr("\"finished\": true"));
    EXPECT_THAT(contents(at("words")),
                HasSubstr((*lesson)->text(*lessons::parse_language(language)).title.substr(0, 6)));
  }
};

TEST_F(Lessons, OneIsSatInEnglishAndChinese) {
  sit("3", "en", true);
  sit("2", "zh", false);
}

class LessonsFull : public Lessons {};

TEST_F(LessonsFull, EveryLessonIsSatInBothLanguagesAndErrsInEveryKnownWay) {
  const auto room = stage::open_classroom(folder, "");
  ASSERT_TRUE(room && room->course);
  for (const auto& lesson : room->course->lessons)
    for (const auto language : lessons::languages)
      sit(lesson.name, std::string(lessons::name(language)), true);
}

TEST_F(Lessons, AGateHidesWhatIsStillToHappen) {
  play("lesson 3 second-send\nread before\nanswer 1\nframes 2\nread after\n");
  EXPECT_THAT(contents(at("before")), Not(HasSubstr("of 8)")))
      << "the number of steps is asked later";
  EXPECT_THAT(contents(at("after")), HasSubstr("of 8)"));
}

TEST_F(Lessons, AnAnswerIsGivenWithTheMouse) {
  play(
      "lesson 3 second-send\npress pick-3\npress lock\ndump wrong\npress lock\npress pick-1\n"
      "press lock\ndump right\npress next\ndump next\n");
  EXPECT_EQ(state("wrong")["lesson"]["gate"], "wrong");
  EXPECT_EQ(state("wrong")["lesson"]["misconceptions"][0], "chunk-follows-rank");
  EXPECT_EQ(state("right")["lesson"]["gate"], "right");
  EXPECT_EQ(state("next")["lesson"]["beat"], "who-is-in-it");
}

TEST_F(Lessons, ANumberIsTyped) {
  play("lesson 3 who-is-in-it\npress answer-1\ntype 3\ndump typed\n");
  EXPECT_EQ(state("typed")["lesson"]["gate"], "right");
}

TEST_F(Lessons, CardsAreSortedWithTheMouse) {
  play(
      "lesson 2 cards\npress card-2\npress name broadcast\npress card-1\npress name reduce\n"
      "dump sorted\n");
  const auto entries = state("sorted")["lesson"]["entries"];
  EXPECT_EQ(entries[0], "reduce");
  EXPECT_EQ(entries[1], "broadcast");
}

TEST_F(Lessons, ACurveIsDrawnWithTheMouse) {
  const ImVec2 size{1280, 720};
  const float unit = 8 * panels::fit(size);
  const auto board = panels::arrange_lesson(size, unit, {.has_time = false}).stage;
  play("lesson 8 draw\nframes 2\n" + mouse("drag", board, 0.1f, 0.8f) +
       mouse("", board, 0.98f, 0.3f) + "\ndo lock\ndump drawn\n");
  EXPECT_EQ(state("drawn")["lesson"]["attempts"], 1);
}

TEST_F(Lessons, TheListOpensOneAndIsLeftAgain) {
  play("key N\ndump list\npress lesson-3\ndump open\nkey N\npress leave lesson\ndump left\n");
  EXPECT_EQ(state("list")["lessons"], true);
  EXPECT_EQ(state("open")["lesson"]["lesson"], 3);
  EXPECT_TRUE(state("left")["lesson"].is_null());
}

TEST_F(Lessons, NotesGoToTheTerminalAndNotIntoThePicture) {
  std::ofstream(at("script")) << "read words\n";
  const auto ran =
      run("view --size 1280x720 --lesson 3 --beat one-is-late --present --exit --script script");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("[3.4 one-is-late]"));
  EXPECT_THAT(ran.out, HasSubstr("-> "));
  EXPECT_THAT(contents(at("words")), Not(HasSubstr("-> ")));
}

TEST_F(Lessons, WhatIsNoLessonIsRefusedBeforeAWindowOpens) {
  EXPECT_EQ(run("view --lesson 99 --exit").status, 2);
  EXPECT_EQ(run("view --lesson 3 --beat nowhere --exit").status, 2);
  EXPECT_EQ(run("view --beat 3 --exit").status, 2);
  EXPECT_EQ(run("view --lesson 3 --lessons /nowhere --exit").status, 2);
}

TEST(LessonGlyphs, FontsHaveEverySignThatLessonsAreWrittenWith) {
  const auto files = panels::find_fonts();
  if (files.regular.empty() || files.fallbacks.empty()) GTEST_SKIP() << "no fonts here";
  const auto room = stage::open_classroom(folder, "");
  ASSERT_TRUE(room && room->course);
  const panels::Glyphs glyphs(stage::texts_of(*room));
  panels::Look look;
  ImFontAtlas atlas;
  panels::build_fonts(atlas, files, glyphs, look);
  for (const ImFont* font : {look.small, look.body, look.prose, look.prose_strong, look.title})
    for (const ImWchar missing : missing_glyphs(*font, glyphs))
      ADD_FAILURE() << "no glyph for U+" << std::hex << missing;
}

}  // namespace
}  // namespace ringside::window
