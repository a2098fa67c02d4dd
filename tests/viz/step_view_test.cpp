#include "viz/terminal/step_view.hpp"

#include <gmock/gmock.h>

namespace ringside::terminal {
namespace {

using sim::Activity, sim::StreamKind;

sim::TrainingStep two_stages() {
  sim::TrainingStep step{.time = 10_us};
  step.stages.resize(2);
  const auto add = [&](std::uint32_t stage, StreamKind stream, Activity activity, Duration from,
                       Duration to) {
    step.timeline.push_back({stage, stream, activity, 0, 0, from, to});
  };
  add(0, StreamKind::compute, Activity::forward, 0_us, 2_us);
  add(0, StreamKind::compute, Activity::backward, 7_us, 10_us);
  add(0, StreamKind::next, Activity::send_activations, 2_us, 3_us);
  add(1, StreamKind::compute, Activity::forward, 3_us, 4_us);
  add(1, StreamKind::compute, Activity::backward, 4_us, 6_us);
  add(1, StreamKind::previous, Activity::send_gradients, 6_us, 7_us);
  return step;
}

TEST(StepView, ALineAStreamALetterAColumn) {
  EXPECT_EQ(draw_step(two_stages(), 10),
            "stage 0   compute        |FF     BBB\n"
            "          to next        |  >\n"
            "stage 1   compute        |   FBB\n"
            "          to previous    |      <\n"
            "a column is 1 us: F forward, B backward, > send activations, < send gradients\n");
}

TEST(StepView, AColumnIsWhatTookMostOfIt) {
  auto step = two_stages();
  EXPECT_THAT(draw_step(step, 5), testing::StartsWith("stage 0   compute        |F  BB\n"));
  EXPECT_THAT(draw_step(step, 5), testing::HasSubstr("stage 1   compute        | FB\n"));
}

TEST(StepView, ManyStagesAreCounted) {
  auto step = two_stages();
  step.stages.resize(20);
  step.timeline.back().stage = 19;
  EXPECT_THAT(draw_step(step, 10), testing::HasSubstr("and 4 stages more\n"));
  EXPECT_EQ(draw_step({}), "");
}

}  // namespace
}  // namespace ringside::terminal
