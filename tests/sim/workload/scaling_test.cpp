// Curves whose shape is known in closed form, their knees, and the search against trying all.

#include "sim/workload/scaling.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "sim/workload/search.hpp"
#include "tests/sim/workload/simple.hpp"

namespace ringside::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// 1 ms forward and 2 ms backward a sample, 40 MB of gradients in one layer and one bucket.
ScalingRequest one_layer() {
  ScalingRequest request;
  request.model = simple::model(
      {.layers = 1, .parameters = 20'000'000, .forward = 1'000_us, .backward = 2'000_us});
  request.gpu = simple::gpu();
  request.gpu.memory = 1_GiB;
  request.machine = [](std::uint32_t gpus) -> Result<Topology> { return simple::ring(gpus); };
  request.gpus = {1, 2, 4, 8, 16, 32};
  request.parallelism.type = ElementType::bfloat16;
  request.parallelism.bucket = 1_GiB;
  request.algorithm = "ring";
  return request;
}

TEST(Scaling, StrongIsTheClosedForm) {
  // T(N) = C/N + 2 (N-1)/N S/B + 2 (N-1) alpha on a ring, with nothing to hide behind.
  auto request = one_layer();
  request.mode = Scaling::strong;
  request.global_batch = 32;
  const auto curve = scale(request);
  ASSERT_TRUE(curve) << curve.error().message;
  for (const auto& point : curve->points) {
    const double n = point.gpus;
    const double seconds = 32 * 3e-3 / n + 2 * (n - 1) / n * 40e6 / 20e9 + 2 * (n - 1) * 5e-6;
    EXPECT_NEAR(point.step.time.seconds() / seconds, 1, 1e-6) << n;
    EXPECT_DOUBLE_EQ(point.samples_per_second, 32 / point.step.time.seconds());
    EXPECT_NEAR(point.efficiency, 32 * 3e-3 / seconds / n, 1e-6);
    EXPECT_EQ(point.parallelism.micro_batches, 32 / point.gpus);
  }
  ASSERT_TRUE(curve->knee.point);
  EXPECT_EQ(curve->knee.limit, Limit::bandwidth);
  EXPECT_THAT(curve->knee.sentence, HasSubstr("bandwidth"));
}

TEST(Scaling, LatencyIsToldFromBandwidth) {
  auto request = one_layer();
  request.mode = Scaling::strong;
  request.model.layers[0].parameters = 1'000;
  request.machine = [](std::uint32_t gpus) -> Result<Topology> {
    return simple::ring(gpus, 20_GBps, 100_us);
  };
  const auto curve = scale(request);
  ASSERT_TRUE(curve) << curve.error().message;
  EXPECT_EQ(curve->knee.limit, Limit::latency);
}

TEST(Scaling, WeakKeepsWhatAReplicaHas) {
  auto request = one_layer();
  request.global_batch = 3;
  const auto curve = scale(request);
  ASSERT_TRUE(curve) << curve.error().message;
  for (const auto& point : curve->points) {
    EXPECT_EQ(point.parallelism.micro_batches, 3U);
    EXPECT_EQ(point.parallelism.samples(), 3U * point.gpus);
  }
}

TEST(Scaling, ABatchTooSmallIsTheKnee) {
  auto request = one_layer();
  request.mode = Scaling::strong;
  request.global_batch = 8;
  request.model.layers[0].parameters = 1;
  request.machine = [](std::uint32_t gpus) -> Result<Topology> {
    return simple::ring(gpus, 20_GBps, {});
  };
  const auto curve = scale(request);
  ASSERT_TRUE(curve) << curve.error().message;
  EXPECT_EQ(curve->knee.limit, Limit::batch);
  EXPECT_EQ(curve->points[*curve->knee.point].gpus, 8U);
}

TEST(Scaling, ABubbleIsTheKnee) {
  // Two stages: 8 samples on 2 GPUs lose 1/9 to the bubble, one sample a replica loses 1/2.
  auto request = one_layer();
  request.model.layers[0].repeat = 2;
  request.model.layers[0].parameters = 1;
  request.parallelism.pipeline = 2;
  request.mode = Scaling::strong;
  request.global_batch = 4;
  request.gpus = {2, 4, 8};
  request.machine = [](std::uint32_t gpus) -> Result<Topology> {
    return simple::mesh(gpus, 20_GBps, {});
  };
  const auto curve = scale(request);
  ASSERT_TRUE(curve) << curve.error().message;
  EXPECT_NEAR(curve->points[2].step.shares.bubble.seconds() / curve->points[2].step.time.seconds(),
              0.5, 1e-6);
  EXPECT_EQ(curve->knee.limit, Limit::bubble);
}

TEST(Scaling, WhatDoesNotFitIsSaidAndLeftOut) {
  auto request = one_layer();
  request.gpu.memory = Bytes{100'000'000};  // 320 MB of states alone
  request.choose_zero = true;
  const auto curve = scale(request);
  ASSERT_TRUE(curve) << curve.error().message;
  EXPECT_FALSE(curve->points[0].runs());
  EXPECT_THAT(curve->points[0].left_out, HasSubstr("does not fit"));
  EXPECT_TRUE(curve->points[5].runs());
  EXPECT_GT(curve->points[5].parallelism.zero, 0U);
  EXPECT_THAT(curve->notes[0], HasSubstr("ZeRO"));
  request.choose_zero = false;
  EXPECT_FALSE(scale(request));
}

TEST(Scaling, CountsAreDoubledOrListed) {
  EXPECT_THAT(*parse_gpu_counts("1-8"), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(*parse_gpu_counts("3-10"), ElementsAre(3, 6, 10));
  EXPECT_THAT(*parse_gpu_counts("8,16,24"), ElementsAre(8, 16, 24));
  EXPECT_THAT(*parse_gpu_counts("64"), ElementsAre(64));
  for (const char* wrong : {"", "0", "-", "8-", "-8", "8-4", "8,8", "16,8", "1,,2", "70000", "8x",
                            "1-2-4", "4294967297"})
    EXPECT_FALSE(parse_gpu_counts(wrong)) << wrong;
}

/// 8 layers of 1 MB whose splits differ in what they send.
SearchRequest eight_layers() {
  SearchRequest request;
  request.model = simple::model({.layers = 8,
                                 .parameters = 500'000,
                                 .forward = 100_us,
                                 .backward = 200_us,
                                 .output_elements = 100'000});
  request.model.heads = 8;
  auto& layer = request.model.layers[0];
  layer.splits_by_tensor = true;
  layer.forward_all_reduces = layer.backward_all_reduces = 2;
  request.gpu = simple::gpu();
  request.gpu.memory = 1_GiB;
  request.machine = [](std::uint32_t gpus) -> Result<Topology> { return simple::mesh(gpus); };
  request.gpus = 8;
  request.global_batch = 32;
  request.keep = 3;
  return request;
}

TEST(ScalingSearch, FindsTheBestOfAll) {
  auto request = eight_layers();
  const auto found = search(request);
  ASSERT_TRUE(found) << found.error().message;
  std::size_t left_out = 0;
  for (const auto& [why, count] : found->left_out) left_out += count;
  EXPECT_EQ(found->candidates, found->simulated + left_out);
  // All of them, nothing pruned.
  request.keep = std::numeric_limits<std::size_t>::max();
  const auto all = search(request);
  ASSERT_TRUE(all);
  EXPECT_GT(all->simulated, found->simulated);
  ASSERT_EQ(found->best.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found->best[i].step.time, all->best[i].step.time);
}

TEST(ScalingSearch, SaysWhyNothingFits) {
  auto request = eight_layers();
  request.gpu.memory = Bytes{1'000};
  const auto found = search(request);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::request);
  EXPECT_THAT(found.error().message, HasSubstr("do not fit"));
}

}  // namespace
}  // namespace ringside::sim
