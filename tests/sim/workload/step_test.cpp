#include "sim/workload/step.hpp"

#include <gmock/gmock.h>

#include "tests/sim/workload/simple.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;

TrainingStep step_of(const Model& model, const Parallelism& p, const Topology& machine,
                     std::string algorithm = "ring") {
  auto times = GroupTimes::make(machine, std::move(algorithm));
  EXPECT_TRUE(times);
  const auto step = simulate_step(model, simple::gpu(), p, *times);
  EXPECT_TRUE(step) << (step ? "" : step.error().message);
  return step ? *step : TrainingStep{};
}

Bytes sent(const TrainingStep& step, Activity activity) {
  return step.sent[static_cast<std::size_t>(activity)];
}

/// C/N + 2(N-1)/N S/B + 2(N-1) alpha: one bucket, which is full when backward ends, so that nothing
/// overlaps.
Duration strong_scaling(std::uint32_t n) {
  const Duration all = 100 * 1000_us;
  const Duration forward{all.picoseconds / 3 / n},
      backward{all.picoseconds / n - forward.picoseconds};
  const auto model =
      simple::model({.parameters = 25'600'000, .forward = forward, .backward = backward});
  Parallelism p{.data = n, .bucket = 1_GiB, .type = ElementType::float32};
  return step_of(model, p, simple::ring(n, 20_GBps, 50_us)).time;
}

TEST(DataParallel, StrongScalingInClosedForm) {
  const auto at = [](std::uint32_t n) { return strong_scaling(n).seconds(); };
  for (const std::uint32_t n : {1, 2, 8, 30, 64}) {
    const double steps = 2.0 * (n - 1);
    // A chunk is whole bytes, of 50 ps each.
    EXPECT_NEAR(at(n), 0.1 / n + steps / n * 102.4e6 / 20e9 + steps * 50e-6, steps * 51e-12) << n;
  }
  std::uint32_t best = 1;
  for (std::uint32_t n = 2; n <= 64; ++n)
    if (at(n) < at(best)) best = n;
  EXPECT_EQ(best, 30);
  EXPECT_NEAR(at(1) / at(30), 6.2, 0.05);
}

/// Five buckets of a layer each, ready 4, 8, ... 20 ms after backward began; 20.48 MB = a fifth of
/// 102.4 MB on a ring of 8 at 5 us and 20 GB/s.
Parallelism five_buckets(Bytes bucket) {
  return {.data = 8, .bucket = bucket, .type = ElementType::float32};
}
const Model& five_layers() {
  static const Model model =
      simple::model({.layers = 5, .parameters = 20'480'000 / 4, .backward = 4 * 1000_us});
  return model;
}

TEST(DataParallel, FiveBucketsOverlapWithBackward) {
  const auto machine = simple::ring(8);
  const auto step = step_of(five_layers(), five_buckets({20'480'000}), machine);
  const auto one = 14 * (5_us + wire_time({2'560'000}, 20_GBps));
  EXPECT_EQ(one, 1862_us);
  EXPECT_EQ(step.time, 20 * 1000_us + one);  // 21.86 ms: each is done before the next is ready
  EXPECT_EQ(step.shares.compute, 20 * 1000_us);
  EXPECT_EQ(step.shares.exposed, one);
  EXPECT_EQ(step.shares.bubble, Duration{});
  EXPECT_EQ(step.communication, 5 * one);
  EXPECT_EQ(sent(step, Activity::gradient_reduce), 5 * Bytes{2 * 7 * 2'560'000});
}

TEST(DataParallel, WithoutOverlapTheFiveComeAfterwards) {
  // The same 20 ms, but forward: all five are ready when they are over.
  const auto model =
      simple::model({.layers = 5, .parameters = 20'480'000 / 4, .forward = 4 * 1000_us});
  const auto step = step_of(model, five_buckets({20'480'000}), simple::ring(8));
  EXPECT_EQ(step.time, 29'310_us);
  EXPECT_EQ(step.shares.exposed, 5 * 1862_us);
}

TEST(DataParallel, BucketsFillInReverseOrderOfLayersWithinOnesToo) {
  // Buckets of 8.192 MB: full 1.6, 3.2, ... ms after backward began.
  const auto step = step_of(five_layers(), five_buckets({8'192'000}), simple::ring(8));
  std::vector<TimePoint> begins;
  for (const auto& span : step.timeline)
    if (span.activity == Activity::gradient_reduce) begins.push_back(span.begin);
  ASSERT_EQ(begins.size(), 13);
  EXPECT_EQ(begins[0], 1600_us);
  EXPECT_EQ(begins[1], 3200_us);
  EXPECT_EQ(begins[11], 12 * 1600_us);
  EXPECT_EQ(begins[12], 20 * 1000_us);
  std::size_t computed = 0;
  for (const auto& span : step.timeline) computed += span.activity == Activity::backward;
  EXPECT_EQ(computed, 1) << "pieces of one layer kind that follow each other are one span";
}

TEST(DataParallel, OnlyTheLastMicroBatchReduces) {
  Parallelism p = five_buckets({20'480'000});
  const auto once = sent(step_of(five_layers(), p, simple::ring(8)), Activity::gradient_reduce);
  p.micro_batches = 3;
  const auto step = step_of(five_layers(), p, simple::ring(8));
  EXPECT_EQ(sent(step, Activity::gradient_reduce), once);
  EXPECT_EQ(step.time, 60 * 1000_us + 1862_us);
}

TEST(DataParallel, OneReplicaTalksToNobody) {
  Parallelism p = five_buckets({20'480'000});
  p.data = 1;
  const auto step = step_of(five_layers(), p, simple::ring(8));
  EXPECT_EQ(step.time, 20 * 1000_us);
  EXPECT_EQ(step.communication, Duration{});
}

TEST(Step, SaysWhatCannotBe) {
  const auto machine = simple::ring(8);
  auto times = *GroupTimes::make(machine);
  Parallelism p{.data = 16, .type = ElementType::float32};
  const auto many = simulate_step(five_layers(), simple::gpu(), p, times);
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, HasSubstr("16 x 1 x 1 (data x tensor x pipeline) are 16 GPUs"));
  p.zero = 4;
  EXPECT_FALSE(simulate_step(five_layers(), simple::gpu(), p, times));
}

}  // namespace
}  // namespace ringside::sim
