// The mouse on the panels: the diagram keeps its promises, views light up together, fields refuse.

#include <gmock/gmock.h>

#include <cmath>

#include "tests/window/script.hpp"

namespace ringside::window {
namespace {

constexpr float ruler = 0.06f, rows = 0.6f;  // of the diagram's height

std::int64_t now(const Json& state) {
  return state["now_ps"];
}
/// Simulated time that a pixel of the diagram stands for, at most.
double pixel(const Json& state) {
  const auto& window = state["window"];
  return (window["to_ps"].get<double>() - window["from_ps"].get<double>()) / 1000;
}

TEST_F(Scripted, TheWheelKeepsTheTimeUnderTheCursor) {
  const auto diagram = places().space_time;
  for (const float u : {0.3f, 0.55f, 0.8f}) {
    const auto click = mouse("click", diagram, u, ruler) + "\n";
    play(click + "dump a\n" + mouse("wheel", diagram, u, rows) + " 4\n" + click + "dump b\n" +
         mouse("wheel", diagram, u, rows) + " -2\n" + click + "dump c\n");
    const auto a = state("a"), b = state("b"), c = state("c");
    EXPECT_NE(a["window"], b["window"]);
    EXPECT_GT(now(a), 0);
    EXPECT_NEAR(static_cast<double>(now(b)), static_cast<double>(now(a)), pixel(a)) << u;
    EXPECT_NEAR(static_cast<double>(now(c)), static_cast<double>(now(b)), pixel(a)) << u;
  }
}

TEST_F(Scripted, ShiftDragMeasuresWhatLiesBetween) {
  const auto diagram = places().space_time;
  const auto right = mouse("", diagram, 0.7f, rows);
  play(mouse("click", diagram, 0.3f, ruler) + "\ndump from\n" +
       mouse("click", diagram, 0.7f, ruler) + "\ndump to\n" + mouse("drag", diagram, 0.3f, rows) +
       right + " shift\ndump measured\n");
  const auto measure = state("measured")["measure"];
  ASSERT_FALSE(measure.is_null());
  EXPECT_NEAR(measure["from_ps"].get<double>(), static_cast<double>(now(state("from"))),
              pixel(state("from")));
  EXPECT_NEAR(measure["to_ps"].get<double>(), static_cast<double>(now(state("to"))),
              pixel(state("to")));
}

TEST_F(Scripted, DragPansTheDiagram) {
  const auto diagram = places().space_time;
  play("zoom 8ms 4\ndump a\n" + mouse("drag", diagram, 0.7f, rows) +
       mouse("", diagram, 0.5f, rows) + "\ndump b\n");
  const auto a = state("a")["window"], b = state("b")["window"];
  EXPECT_GT(b["from_ps"], a["from_ps"]);
  EXPECT_EQ(b["to_ps"].get<std::int64_t>() - b["from_ps"].get<std::int64_t>(),
            a["to_ps"].get<std::int64_t>() - a["from_ps"].get<std::int64_t>());
}

TEST_F(Scripted, WhatIsUnderTheMouseLightsUpInEveryView) {
  // The first row's bar at this time is rank 0's transfer of it; the stage shows the same pick.
  const auto diagram = places().space_time;
  play("seek 5%\nmove 2 2\nshot before.png\n" + mouse("move", diagram, 0.1f, rows) +
       "\ndump a\nshot after.png\nmove 2 2\ndump b\nshot gone.png\n");
  EXPECT_FALSE(state("a")["hover"].is_null());
  EXPECT_TRUE(state("b")["hover"].is_null());
  EXPECT_GT(difference(at("before.png"), at("after.png")), 100u);
  EXPECT_EQ(difference(at("before.png"), at("gone.png")), 0u);
}

TEST_F(Scripted, BuffersAnswerTheMouse) {
  play(mouse("click", places().buffers, 0.5f, 0.5f) + "\ndump a\n");
  EXPECT_FALSE(state("a")["selected"].is_null());
}

TEST_F(Scripted, RightClickOffersAMenu) {
  // Ranks stand on a circle: the topmost is rank 0.
  play(mouse("click", places().stage, 0.5f, 0.16f) + " right\ndump a\nkey Escape\ndump b\n",
       "--ranks 8");
  EXPECT_FALSE(state("a")["selected"].is_null());
  EXPECT_EQ(state("a")["menu"], true);
  EXPECT_EQ(state("b")["menu"], false);
}

TEST_F(Scripted, StepBackIsTheExactEarlierStateAndSeekIsReplay) {
  play(
      "key Right\nkey Right\ndump a\nkey Right\nkey Left\ndump b\nkey Space\nframes 40\n"
      "key Space\ndump played\n");
  EXPECT_EQ(state("a"), state("b"));
  const auto played = state("played");
  EXPECT_GT(now(played), now(state("a")));
  play("key End\nseek " + std::to_string(now(played)) + "ps\ndump sought\n");
  EXPECT_EQ(state("sought")["run"], played["run"]);
}

TEST_F(Scripted, AShareStringOpensTheSameAgain) {
  play("set ranks 5\nset algorithm star\nset slow gpu0->gpu1=4x\nseek 30%\nkey R\nkey L\ndump a\n");
  const auto a = state("a");
  play("dump b\n", "'" + a["share"].get<std::string>() + "'");
  auto b = state("b");
  for (const char* key : {"share", "now_ps", "run", "rival", "language", "theme"})
    EXPECT_EQ(a[key], b[key]) << key;
}

TEST_F(Scripted, RaceForkAndFaultsAreOnTheStage) {
  play(
      "dump a\nkey G\nselect link gpu0->gpu1\nkey S\ndump slow\nkey Backspace\nkey R\ndump race\n"
      "frames 10\nshot race.png\n");
  EXPECT_GT(state("slow")["run"]["time_ps"], state("a")["run"]["time_ps"]);
  EXPECT_EQ(state("slow")["ghost"]["time_ps"], state("a")["run"]["time_ps"]);
  EXPECT_FALSE(state("race")["rival"].is_null());
}

TEST_F(Scripted, WhatAScriptSetsOutOfRangeIsRefusedAndTheRunStays) {
  const std::vector<std::string> fields{"ranks",   "bytes", "chunks",     "channels",  "bandwidth",
                                        "latency", "root",  "collective", "algorithm", "system",
                                        "model",   "slow",  "t"};
  std::string lines = "dump before\n";
  for (const auto& field : fields) {
    for (const char* value : {"-1", "99999999999999999999", "nan", "\"; drop", "0x"})
      lines += "set " + field + " " + value + "\nframes 1\n";
    lines += "dump " + field + "\n";
  }
  play(lines);
  for (const auto& field : fields) {
    EXPECT_EQ(state("before")["run"], state(field)["run"]) << field;
    EXPECT_NE(state(field)["refusal"], "") << field;
  }
}

}  // namespace
}  // namespace ringside::window
