#include "sim/workload/pipeline.hpp"

#include <gmock/gmock.h>

#include <set>
#include <tuple>

#include "tests/sim/workload/simple.hpp"

namespace ringside::sim {
namespace {

using enum PipelineSchedule;

TrainingStep step_of(const Model& model, const Parallelism& p, const Topology& machine) {
  auto times = *GroupTimes::make(machine);
  const auto step = simulate_step(model, simple::gpu(), p, times);
  EXPECT_TRUE(step) << (step ? "" : step.error().message);
  return step ? *step : TrainingStep{};
}

/// As `F0 F1 B0 ...`, with the piece where a stage has several: `F0.1`.
std::string text(const std::vector<Turn>& turns, bool pieces = false) {
  std::string all;
  for (const Turn& t : turns)
    all += (all.empty() ? "" : " ") + std::string(t.is_forward ? "F" : "B") +
           std::to_string(t.micro_batch) + (pieces ? "." + std::to_string(t.piece) : "");
  return all;
}

TEST(Pipeline, OrdersAsPublished) {
  Parallelism p{.pipeline = 4, .pipeline_schedule = gpipe, .micro_batches = 3};
  EXPECT_EQ(text(turns(p, 2)), "F0 F1 F2 B2 B1 B0");
  p.pipeline_schedule = one_f_one_b;
  p.micro_batches = 5;
  EXPECT_EQ(text(turns(p, 3)), "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4");
  EXPECT_EQ(text(turns(p, 1)), "F0 F1 F2 B0 F3 B1 F4 B2 B3 B4");
  p = {.pipeline = 2, .pipeline_schedule = interleaved, .interleave = 2, .micro_batches = 4};
  EXPECT_EQ(text(turns(p, 1), true),
            "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0");
}

TEST(Pipeline, EveryPieceOfEveryMicroBatchOnceEachWay) {
  for (const std::uint32_t stages : {1, 2, 4, 8})
    for (const std::uint32_t pieces : {1, 2, 3})
      for (const std::uint32_t rounds : {1, 2, 5}) {
        const Parallelism p{.pipeline = stages,
                            .pipeline_schedule = pieces > 1 ? interleaved : one_f_one_b,
                            .interleave = pieces,
                            .micro_batches = rounds * stages};
        for (std::uint32_t s = 0; s < stages; ++s) {
          std::set<std::tuple<bool, std::uint32_t, std::uint32_t>> seen;
          for (const Turn& t : turns(p, s)) {
            EXPECT_TRUE(seen.emplace(t.is_forward, t.micro_batch, t.piece).second);
            EXPECT_TRUE(t.is_forward || seen.contains({true, t.micro_batch, t.piece}));
          }
          EXPECT_EQ(seen.size(), 2 * pieces * p.micro_batches);
        }
      }
}

// Huang et al. 2019: (p-1)/(m+p-1) of the time; 1F1B idles as long, only holds fewer activations.
TEST(Pipeline, BubbleInClosedForm) {
  for (const auto schedule : {gpipe, one_f_one_b})
    for (const std::uint32_t stages : {1, 2, 4, 8})
      for (const std::uint32_t micro_batches : {1, 2, 8, 27}) {
        const auto model = simple::model({.layers = 8, .forward = 3_us, .backward = 6_us});
        const Parallelism p{.pipeline = stages,
                            .pipeline_schedule = schedule,
                            .micro_batches = micro_batches,
                            .type = ElementType::bfloat16};
        const auto step = step_of(model, p, simple::mesh(8));
        const auto turn = (8 / stages) * 9_us;
        EXPECT_EQ(step.time, std::int64_t{micro_batches + stages - 1} * turn);
        EXPECT_EQ(step.shares.bubble, std::int64_t{stages - 1} * turn)
            << stages << " stages, " << micro_batches << " micro-batches";
        EXPECT_EQ(step.shares.exposed, Duration{});
      }
}

TEST(Pipeline, FourStagesEightMicroBatchesIdle27Percent) {
  const auto model = simple::model({.layers = 4, .forward = 1_us, .backward = 2_us});
  const auto idle = [&](std::uint32_t m) {
    const auto step = step_of(
        model, {.pipeline = 4, .pipeline_schedule = gpipe, .micro_batches = m}, simple::mesh(4));
    return step.shares.bubble.seconds() / step.time.seconds();
  };
  EXPECT_NEAR(idle(8), 3.0 / 11, 1e-12);
  EXPECT_GT(idle(26), 0.1);
  EXPECT_LE(idle(27), 0.1);
}

// Narayanan et al. 2021, section 2.2.2: v pieces a GPU divide the bubble by v.
TEST(Pipeline, InterleavingDividesTheBubble) {
  for (const std::uint32_t stages : {2, 4})
    for (const std::uint32_t pieces : {2, 4})
      for (const std::uint32_t rounds : {1, 2, 4}) {
        const auto model = simple::model({.layers = 16, .forward = 1_us, .backward = 2_us});
        Parallelism p{.pipeline = stages, .micro_batches = rounds * stages};
        const auto plain = step_of(model, p, simple::mesh(4));
        p.pipeline_schedule = interleaved;
        p.interleave = pieces;
        const auto step = step_of(model, p, simple::mesh(4));
        EXPECT_EQ(step.shares.compute, plain.shares.compute);
        EXPECT_EQ(std::int64_t{pieces} * step.shares.bubble, plain.shares.bubble)
            << stages << " stages of " << pieces << " pieces, " << rounds;
      }
}

TEST(Pipeline, MessagesBetweenStagesAreWaitedFor) {
  // 1 MB at 20 GB/s is 50 us, and 5 us of latency: forward and backward each pass it once.
  const auto model = simple::model(
      {.layers = 2, .forward = 100_us, .backward = 200_us, .output_elements = 500'000});
  const auto step = step_of(model, {.pipeline = 2}, simple::mesh(2));
  EXPECT_EQ(step.time, 600_us + 2 * 55_us);
  EXPECT_EQ(step.shares.compute, 300_us);
  EXPECT_EQ(step.shares.exposed, 55_us);
  EXPECT_EQ(step.shares.bubble, 300_us + 55_us);
  EXPECT_EQ(step.sent[static_cast<std::size_t>(Activity::send_activations)], Bytes{500'000});
}

TEST(Pipeline, InterleavingNeedsWholeRounds) {
  const auto machine = simple::mesh(4);
  auto times = *GroupTimes::make(machine);
  const auto step = simulate_step(
      simple::model({.layers = 8}), simple::gpu(),
      {.pipeline = 4, .pipeline_schedule = interleaved, .interleave = 2, .micro_batches = 6},
      times);
  ASSERT_FALSE(step);
  EXPECT_THAT(step.error().message, testing::HasSubstr("6 is no multiple"));
}

}  // namespace
}  // namespace ringside::sim
