// A lesson on the stage: gates that lock, what opens them, and what they show then.

#include "viz/stage/lesson.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "viz/stage/action.hpp"
#include "viz/stage/classroom.hpp"
#include "viz/stage/clock.hpp"
#include "viz/stage/dump.hpp"
#include "viz/stage/keys.hpp"
#include "viz/stage/lesson_stage.hpp"
#include "viz/stage/share.hpp"

namespace ringside::stage {
namespace {

using lessons::Gate;
using testing::ElementsAre;
using Json = nlohmann::json;

/// The lesson on the ring: its second beat asks which chunk rank 3 of 5 sends in step 1.
struct RingLesson : testing::Test {
  Model model;
  Director director;

  RingLesson() {
    model.classroom = *open_classroom(RINGSIDE_SOURCE_DIR "/lessons", "");
    act(OpenLesson{"3", "second-send"});
  }
  void act(const Action& action) {
    apply(model, action, director);
    settle();
  }
  void settle() {
    director.wait();
    receive(model, director);
  }
  void key(const char* name) {
    const auto action = meaning(model, name);
    ASSERT_TRUE(action) << name;
    act(*action);
  }
  Gate gate() const { return model.lesson->sitting.gate(); }
  Json lesson() const { return Json::parse(dump_state(model))["lesson"]; }
};

TEST_F(RingLesson, NothingGoesPastAGate) {
  const TimePoint now = model.playback.now;
  ASSERT_EQ(now, model.run->timeline->step_begin({1}));
  for (const char* name : {"Right", "Right", "Right", "Space", "PageDown", "End", "PageDown"}) {
    key(name);
    act(Tick{1});
    EXPECT_EQ(model.playback.now, now) << name;
    EXPECT_EQ(lesson()["beat"], "second-send") << name;
  }
  act(Seek{model.run->time()});
  EXPECT_EQ(model.playback.now, now);
  act(Seek{TimePoint{}});
  EXPECT_EQ(model.playback.now, TimePoint{}) << "what was there before may be looked at again";
}

TEST_F(RingLesson, AWrongAnswerIsAnAttemptWithItsMisconceptionAndTheGateStaysShut) {
  act(Digit{3});
  EXPECT_EQ(model.lesson->entries.front(), "3");
  key("Enter");
  EXPECT_EQ(gate(), Gate::wrong);
  EXPECT_EQ(lesson()["attempts"], 1);
  EXPECT_EQ(lesson()["misconceptions"][0], "chunk-follows-rank");
  key("End");
  EXPECT_EQ(model.playback.now, model.run->timeline->step_begin({1}));
  EXPECT_FALSE(answer_mark(model)) << "the truth is not shown yet";
  key("Enter");
  EXPECT_EQ(gate(), Gate::asking) << "try again";
}

TEST_F(RingLesson, WhatWasSaidStandsBesideWhatIsTrueOnceItIsRevealed) {
  act(Answer{"3"});
  key("Y");
  EXPECT_EQ(gate(), Gate::revealed);
  const auto mark = answer_mark(model);
  ASSERT_TRUE(mark && mark->transfer);
  EXPECT_EQ((*model.run->schedule)[*mark->transfer].src().rank, Rank{3});
  EXPECT_EQ(mark->said_chunk, ChunkId{3});
  EXPECT_EQ(mark->true_chunk, ChunkId{1});
  key("Y");
  EXPECT_FALSE(answer_mark(model)) << "covered again";
}

TEST_F(RingLesson, ARightAnswerLetsTheClockGoOnAsFarAsTheBeatPlays) {
  act(Answer{"1"});
  EXPECT_EQ(gate(), Gate::right);
  EXPECT_TRUE(model.playback.is_playing);
  for (int i = 0; i < 600; ++i) act(Tick{0.1});
  EXPECT_EQ(model.playback.now, model.run->timeline->step_begin({2}));
  EXPECT_FALSE(model.playback.is_playing);
  key("PageDown");
  EXPECT_EQ(lesson()["beat"], "who-is-in-it");
}

TEST_F(RingLesson, WhatIsPickedOnTheStageIsTheAnswer) {
  act(Select{{.slot = output(0, 4)}});
  EXPECT_EQ(model.lesson->entries.front(), "4");
  act(Select{{.rank = Rank{2}}});
  EXPECT_EQ(model.lesson->entries.front(), "4") << "a rank is no chunk";
}

TEST_F(RingLesson, AnEmptyAnswerIsNoAttempt) {
  key("Enter");
  EXPECT_TRUE(model.lesson->is_incomplete);
  act(Answer{"which?"});
  EXPECT_NE(model.lesson->complaint, "");
  EXPECT_EQ(lesson()["attempts"], 0);
  EXPECT_EQ(gate(), Gate::asking);
}

TEST_F(RingLesson, TheAnswerIsShownToThoseWhoTriedOrUsedEveryHint) {
  key("Y");
  EXPECT_EQ(gate(), Gate::asking);
  for (int i = 0; i < 3; ++i) key("Q");
  key("Y");
  EXPECT_EQ(gate(), Gate::revealed);
}

TEST_F(RingLesson, TheLecturerSkips) {
  key("Shift+PageDown");
  EXPECT_EQ(gate(), Gate::skipped);
  key("PageDown");
  EXPECT_EQ(lesson()["beat"], "who-is-in-it");
}

TEST_F(RingLesson, ALessonKeepsItsRun) {
  const std::string before = to_share_string(share_of(model));
  for (const Action& action :
       {Action{Edit{"ranks", "9"}}, Action{Command::race}, Action{Command::break_it},
        Action{Command::fork}, Action{Command::scaling}})
    act(action);
  EXPECT_EQ(to_share_string(share_of(model)), before);
  EXPECT_EQ(model.run->ranks(), 5u);
}

TEST_F(RingLesson, ItsLinkLeadsBackToIt) {
  act(Answer{"1"});
  act(Command::lesson_on);
  const std::string link = to_share_string(share_of(model));
  act(Open{"ring?ranks=3"});
  EXPECT_FALSE(model.lesson);
  act(Open{link});
  ASSERT_TRUE(model.lesson) << model.refusal.sentence;
  EXPECT_EQ(lesson()["beat"], "who-is-in-it");
  EXPECT_EQ(model.run->ranks(), 5u);
}

TEST_F(RingLesson, LeavingItLeavesEverythingFree) {
  act(Command::leave_lesson);
  act(Command::to_end);
  EXPECT_EQ(model.playback.now, model.run->time());
  act(Edit{"ranks", "9"});
  EXPECT_EQ(model.run->ranks(), 9u);
}

TEST_F(RingLesson, ProgressIsKept) {
  const auto& ring = *lessons::find_lesson(*model.classroom.course, "ring").value();
  EXPECT_EQ(progress_of(model.classroom, ring).done, 0u);
  act(Answer{"1"});
  EXPECT_EQ(progress_of(model.classroom, ring).done, 1u);
  EXPECT_GT(progress_of(model.classroom, ring).questions, 8u);
  act(Command::leave_lesson);
  act(OpenLesson{"ring", ""});
  EXPECT_EQ(gate(), Gate::right) << "where it was left, as it was left";
}

TEST_F(RingLesson, AClassIsNeverStuck) {
  model.classroom.is_class = true;
  act(OpenLesson{"3", "one-is-late"});
  ASSERT_EQ(lesson()["asks"], "choice");
  key("PageDown");
  EXPECT_EQ(gate(), Gate::voting);
  for (const char* hand : {"2", "2", "1"}) key(hand);
  EXPECT_THAT(model.lesson->sitting.votes(), ElementsAre(1, 2, 0));
  key("PageDown");
  EXPECT_EQ(lesson()["attempts"], 1);
  for (int presses = 0; lesson()["beat"] == "one-is-late"; ++presses) {
    ASSERT_LT(presses, 4);
    key("PageDown");
  }
}

TEST_F(RingLesson, WhatIsWrongIsSaid) {
  act(OpenLesson{"rings", ""});
  EXPECT_NE(model.refusal.sentence, "");
  act(OpenLesson{"3", "nowhere"});
  EXPECT_THAT(model.refusal.sentence, testing::HasSubstr("no beat 'nowhere'"));
}

}  // namespace
}  // namespace ringside::stage
