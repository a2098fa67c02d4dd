#include "viz/stage/action.hpp"

#include <gmock/gmock.h>

#include "core/mutation.hpp"
#include "viz/stage/clock.hpp"

namespace ringside::stage {
namespace {

using testing::HasSubstr;

struct Actions : testing::Test {
  Model model;
  Director director;

  Actions() { stage(); }
  void stage() {
    director.request(Director::Part::lead, model.scenario, nullptr);
    settle();
  }
  void settle() {
    director.wait();
    receive(model, director);
  }
  void act(const Action& action) { apply(model, action, director); }
  void set(const char* field, const char* value) {
    act(Edit{field, value});
    settle();
  }
};

TEST_F(Actions, AStepLastsOneToTwoSecondsByDefault) {
  for (const char* bytes : {"1", "1K", "1M", "5M", "20M", "77M", "256M", "1G"}) {
    set("bytes", bytes);
    const double step = model.run->time().seconds() / model.run->schedule->steps();
    const double seconds = step / model.playback.per_second.seconds();
    EXPECT_GE(seconds, 1) << bytes;
    EXPECT_LE(seconds, 2) << bytes;
  }
}

TEST_F(Actions, PlayingStopsAtTheEndAndBeginsAnew) {
  act(Command::play_pause);
  ASSERT_TRUE(model.playback.is_playing);
  act(Tick{0.5});
  EXPECT_EQ(model.playback.now.picoseconds, model.playback.per_second.picoseconds / 2);
  act(Tick{1e9});
  EXPECT_EQ(model.playback.now, model.run->time());
  EXPECT_FALSE(model.playback.is_playing);
  act(Command::play_pause);
  EXPECT_EQ(model.playback.now, TimePoint{});
  EXPECT_TRUE(model.playback.is_playing);
}

TEST_F(Actions, WhatWasRefusedAsTextLeavesAllElse) {
  const auto before = model.run;
  for (const char* value : {"0", "-1", "nan", "1e3", "99999999999999999999"}) {
    set("ranks", value);
    EXPECT_THAT(model.refusal.sentence, HasSubstr("ranks")) << value;
    EXPECT_EQ(model.run, before);
    EXPECT_EQ(model.scenario.system.ranks, 0u);
  }
  set("ranks", "4");
  EXPECT_EQ(model.refusal.sentence, "");
  EXPECT_EQ(model.run->ranks(), 4u);
}

TEST_F(Actions, ASliderKeepsThePlaceInTheRun) {
  act(Seek{{model.run->time().picoseconds / 4}});
  const auto before = model.run;
  set("bandwidth", "50GB/s");
  ASSERT_EQ(model.run->schedule, before->schedule);
  EXPECT_NEAR(static_cast<double>(model.playback.now.picoseconds),
              static_cast<double>(model.run->time().picoseconds) / 4, 1);
}

TEST_F(Actions, BreakItGoesThroughTheMistakesThatHaveAPlace) {
  std::vector<std::string> seen;
  for (;;) {
    act(Command::break_it);
    settle();
    ASSERT_EQ(model.refusal.sentence, "");
    if (model.scenario.mistake.empty()) break;
    EXPECT_FALSE(model.run->violations.empty()) << model.scenario.mistake;
    seen.push_back(model.scenario.mistake.substr(0, model.scenario.mistake.find(':')));
    ASSERT_LE(seen.size(), mutation_count);
  }
  EXPECT_EQ(seen.size(), mutation_count);
  EXPECT_TRUE(model.run->violations.empty());
}

}  // namespace
}  // namespace ringside::stage
