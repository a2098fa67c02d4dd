// Memory a GPU needs, against ZeRO's figure 1 and Korthikanti et al.'s formulas.

#include "sim/workload/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/systems.hpp"

namespace ringside::sim {
namespace {

Model gpt(std::uint32_t layers = 8) {
  return make_transformer("gpt", {.hidden = 1024,
                                  .layers = layers,
                                  .heads = 16,
                                  .feed_forward = 4096,
                                  .vocabulary = 8,
                                  .sequence = 512});
}

TEST(WorkloadMemory, IsZerosFigureOneExactly) {
  // Rajbhandari et al. 2020, figure 1: 7.5 billion parameters on 64 GPUs.
  const auto bytes = [](std::uint32_t zero) {
    return model_states(7'500'000'000, {.data = 64, .zero = zero}).total().count;
  };
  EXPECT_EQ(bytes(0), 120'000'000'000U);
  EXPECT_EQ(bytes(1), 31'406'250'000U);
  EXPECT_EQ(bytes(2), 16'640'625'000U);
  EXPECT_EQ(bytes(3), 1'875'000'000U);
}

TEST(WorkloadMemory, OfWiderTypesNeedsNoCopy) {
  const auto bytes = [](ElementType type, Optimizer optimizer) {
    return model_states(1, {.type = type, .optimizer = optimizer}).total().count;
  };
  EXPECT_EQ(bytes(ElementType::float32, Optimizer::adam), 16U);
  EXPECT_EQ(bytes(ElementType::float32, Optimizer::sgd), 12U);
  EXPECT_EQ(bytes(ElementType::bfloat16, Optimizer::sgd), 12U);
  EXPECT_EQ(bytes(ElementType::float64, Optimizer::adam), 32U);
}

/// Activations of one block: those of 9 less those of 8.
std::uint64_t a_block_keeps(const Parallelism& parallelism) {
  return memory_use(gpt(9), parallelism)->activations.count -
         memory_use(gpt(8), parallelism)->activations.count;
}

TEST(WorkloadMemory, OfActivationsIsKorthikantisTableTwo) {
  const std::uint64_t s = 512, h = 1024, a = 16, t = 8;
  const std::uint64_t sh = s * h, scores = 5 * a * s * s;
  EXPECT_EQ(a_block_keeps({}), 34 * sh + scores);
  EXPECT_EQ(a_block_keeps({.tensor = 8}), 10 * sh + 24 * sh / t + scores / t);
  EXPECT_EQ(a_block_keeps({.tensor = 8, .sequence_parallel = true}), (34 * sh + scores) / t);
  EXPECT_EQ(a_block_keeps({.tensor = 8, .recompute = Recompute::selective}), 10 * sh + 24 * sh / t);
  EXPECT_EQ(
      a_block_keeps({.tensor = 8, .sequence_parallel = true, .recompute = Recompute::selective}),
      34 * sh / t);
  EXPECT_EQ(a_block_keeps({.recompute = Recompute::full}), 2 * sh);
  EXPECT_EQ(a_block_keeps({.micro_batch_samples = 3}), 3 * (34 * sh + scores));
}

TEST(WorkloadMemory, GrowsWithTheMicroBatchesInFlight) {
  Parallelism p{.pipeline = 4, .micro_batches = 16};
  const auto activations = [&] { return memory_use(gpt(64), p)->activations.count; };
  const auto one_f_one_b = activations();
  p.pipeline_schedule = PipelineSchedule::gpipe;
  const auto gpipe = activations();
  EXPECT_NEAR(static_cast<double>(gpipe) / static_cast<double>(one_f_one_b), 4, 0.02);
  p.pipeline_schedule = PipelineSchedule::interleaved;
  p.interleave = 4;  // p (1 + (p-1)/(p v)) = 4.75 stages' worth
  EXPECT_NEAR(static_cast<double>(activations()) / static_cast<double>(one_f_one_b), 4.75 / 4,
              0.01);
}

TEST(WorkloadMemory, SharesExpertsAmongTheirGpus) {
  const auto mixtral = find_model("mixtral");
  ASSERT_TRUE(mixtral);
  const auto parameters = [&](Parallelism p) {
    return memory_use(*mixtral, p)->parameters.count / 2;
  };
  const std::uint64_t experts = 32 * 1'409'286'144ULL, all = 46'702'792'704ULL;
  EXPECT_EQ(parameters({.data = 8}), all);
  EXPECT_EQ(parameters({.data = 8, .expert = 8}), all - experts + experts / 8);
}

TEST(WorkloadMemory, SaysWhatWouldFit) {
  const auto llama = find_model("llama2-7b");
  const auto gpu = find_gpu("h100");
  ASSERT_TRUE(llama && gpu);
  EXPECT_EQ(*does_not_fit(*llama, {.data = 8, .zero = 3, .recompute = Recompute::full}, *gpu), "");
  const auto plain = *does_not_fit(*llama, {.data = 8}, *gpu);
  EXPECT_THAT(plain, testing::StartsWith("llama2-7b does not fit: it needs "));
  EXPECT_THAT(plain, testing::HasSubstr(" would take "));
  const auto alone = *does_not_fit(*find_model("llama2-70b"), {}, *gpu);
  EXPECT_THAT(alone, testing::HasSubstr("take more"));
}

TEST(WorkloadMemory, RefusesWhatCannotBeSplit) {
  const auto resnet = find_model("resnet50");
  const auto llama = find_model("llama2-7b");
  ASSERT_TRUE(resnet && llama);
  for (const auto& [model, parallelism] :
       std::vector<std::pair<const Model*, Parallelism>>{{&*resnet, {.tensor = 2}},
                                                         {&*llama, {.tensor = 5}},
                                                         {&*llama, {.pipeline = 35}},
                                                         {&*llama, {.data = 2, .expert = 2}},
                                                         {&*llama, {.data = 0}},
                                                         {&*llama, {.zero = 4}},
                                                         {&*llama, {.type = ElementType::int8}}}) {
    const auto use = memory_use(*model, parallelism);
    ASSERT_FALSE(use);
    EXPECT_EQ(use.error().kind, ErrorKind::request);
  }
}

TEST(WorkloadGpu, KnowsEveryPresetsGpu) {
  for (const auto& system : list_systems())
    EXPECT_TRUE(gpu_of_system(system.topology.name)) << system.topology.name;
  EXPECT_EQ(gpu_of_system("dgx-h100")->name, "h100");
  EXPECT_EQ(gpu_of_system("dgx-a100")->name, "a100-80g");
  const auto unknown = gpu_of_system("abacus");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("--gpu"));
}

TEST(WorkloadGpu, ComputesAtItsAchievedRate) {
  const Gpu gpu{.name = "g",
                .peak_flops = {{ElementType::bfloat16, 100e12}},
                .memory = 1_GiB,
                .memory_bandwidth = 1000_GBps,
                .achieved = 0.5};
  EXPECT_EQ(*achieved_flops(gpu, ElementType::bfloat16), 50e12);
  const auto none = achieved_flops(gpu, ElementType::float64);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, testing::HasSubstr("bfloat16"));
}

}  // namespace
}  // namespace ringside::sim
