// Training in the window: what is shown, and a curve that is drawn with the mouse.

#include <gmock/gmock.h>

#include "tests/window/script.hpp"

namespace ringside::window {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The chart is most of the view, below the heading: a stroke from its lower left to its upper
/// right stays inside of it.
std::string stroke(float u0, float v0, float u1, float v1) {
  const ImVec2 size{1280, 720};
  const auto area = panels::arrange_training(size, 8 * panels::fit(size)).stage;
  const auto from = mouse("drag", area, u0, v0), to = mouse("", area, u1, v1);
  return from + to + "\n";
}

TEST_F(Scripted, ACurveIsDrawnWithTheMouseAndComparedByAButton) {
  play("key J\nframes 2\n" + stroke(0.1f, 0.8f, 0.97f, 0.3f) +
           "dump drawn\nshot drawn.png\npress Compare\ndump compared\nshot compared.png\n"
           "set ib.bandwidth 4\ndump slower\npress Draw anew\ndump anew\npress back to the run\n"
           "dump run\n",
       "--system dgx-h100");
  const auto drawn = state("drawn")["training"];
  ASSERT_EQ(drawn["drawn"].size(), 9u) << "1, 2, 4 ... 256 GPUs, at one stroke";
  double before = 0;
  for (const auto& [gpus, speedup] : drawn["drawn"].items()) {
    EXPECT_GT(speedup, before) << gpus;
    before = speedup;
  }
  EXPECT_EQ(drawn["compared"], false);
  const auto compared = state("compared")["training"];
  EXPECT_EQ(compared["drawn"], drawn["drawn"]);
  EXPECT_GT(compared["missed_by"], 1.0);
  EXPECT_GT(difference(at("drawn.png"), at("compared.png")), 500u);
  const auto slower = state("slower")["training"];
  EXPECT_EQ(slower["drawn"], drawn["drawn"]);
  EXPECT_LT(slower["curve"]["points"].back()["speedup"],
            compared["curve"]["points"].back()["speedup"]);
  EXPECT_TRUE(state("anew")["training"]["drawn"].empty());
  EXPECT_EQ(state("run")["view"], "run");
}

TEST_F(Scripted, TheTrueCurveIsNotGivenAwayBeforeItIsAskedFor) {
  play("key J\nset ib.bandwidth 4\nread before.txt\nkey C\nread after.txt\n", "--system dgx-h100");
  EXPECT_THAT(contents(at("before.txt")), Not(HasSubstr("simulated")));
  EXPECT_THAT(contents(at("before.txt")), Not(HasSubstr("knee")));
  EXPECT_THAT(contents(at("after.txt")), HasSubstr("simulated"));
  EXPECT_THAT(contents(at("after.txt")), HasSubstr("The knee is at"));
}

TEST_F(Scripted, ASmallTrainingSaysWhetherTheWorkersStayEqual) {
  play(
      "key U\nwait\nread right.txt\nset train.way no_sync\nwait\nread wrong.txt\nkey L\n"
      "read zh.txt\n");
  EXPECT_THAT(contents(at("right.txt")), HasSubstr("Replicas are equal, bit by bit"));
  EXPECT_THAT(contents(at("wrong.txt")), HasSubstr("Replicas differ"));
  EXPECT_THAT(contents(at("wrong.txt")), Not(HasSubstr("bit by bit")));
  EXPECT_THAT(contents(at("zh.txt")), HasSubstr("各副本不同"));
}

TEST_F(Scripted, AStepIsShownWithItsLanesAndFigures) {
  play(
      "set train.model llama2-7b\nset train.gpus 16\nset train.tensor 2\nset train.pipeline 2\n"
      "set train.batch 32\nkey K\nread step.txt\nkey L\nread zh.txt\nkey L\nkey T\nshot light.png\n"
      "set train.tensor 3\nread refused.txt\n",
      "--system dgx-h100");
  const auto step = contents(at("step.txt"));
  for (const char* words : {"GPUs 0–7", "GPUs 8–15", "in layers", "replicas", "to the next stage",
                            "to the stage before", "STEP TIME", "MEMORY OF A GPU", "bubble"})
    EXPECT_THAT(step, HasSubstr(words));
  for (const char* words : {"训练步", "每步时间", "气泡", "层内通信"})
    EXPECT_THAT(contents(at("zh.txt")), HasSubstr(words));
  EXPECT_THAT(contents(at("refused.txt")), HasSubstr("This cannot be done."));
}

}  // namespace
}  // namespace ringside::window
