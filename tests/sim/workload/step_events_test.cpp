#include "sim/workload/step_events.hpp"

#include <gmock/gmock.h>

#include "tests/sim/workload/simple.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;

TEST(StepEvents, StagesAreProcessesStreamsThreadsSpansSlices) {
  const auto machine = simple::mesh(4);
  auto times = *GroupTimes::make(machine);
  Model model = simple::model({.layers = 2,
                               .parameters = 1000,
                               .forward = 100_us,
                               .backward = 200_us,
                               .output_elements = 500'000});
  model.layers[0].name = "a \"block\"";
  const Parallelism p{.data = 2, .pipeline = 2};
  const auto step = *simulate_step(model, simple::gpu(), p, times);
  const auto text = step_events(step, {.model = model, .parallelism = p, .machine = "mesh"});
  EXPECT_THAT(text, HasSubstr("\"stage 1 (GPUs 2 to 3)\""));
  EXPECT_THAT(text, HasSubstr("{\"ph\":\"B\",\"pid\":0,\"tid\":0,\"ts\":0.000,\"name\":\"forward\","
                              "\"args\":{\"layer\":\"a \\\"block\\\"\","
                              "\"micro_batch\":0}}"));
  EXPECT_THAT(text, HasSubstr("\"tid\":3,\"ts\":100.000,\"name\":\"send activations\""));
  EXPECT_THAT(text, HasSubstr("{\"ph\":\"E\",\"pid\":0,\"tid\":3,\"ts\":155.000}"));
  std::size_t slices = 0;
  for (auto at = text.find("\"ph\":\"B\""); at != std::string::npos;
       at = text.find("\"ph\":\"B\"", at + 1))
    ++slices;
  EXPECT_EQ(slices, step.timeline.size());
  EXPECT_THAT(text, testing::Not(HasSubstr(",\n]")));
}

TEST(StepEvents, AStepOfNothingIsStillAFile) {
  const auto model = simple::model({});
  const Parallelism p;
  const auto text = step_events({}, {.model = model, .parallelism = p});
  EXPECT_THAT(text, HasSubstr("\"stage 0 (GPU 0)\""));
}

}  // namespace
}  // namespace ringside::sim
