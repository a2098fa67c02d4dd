#include <gmock/gmock.h>

#include "sim/cluster.hpp"
#include "tests/sim/workload/simple.hpp"

// What ZeRO, tensor and expert parallelism send, and when.

namespace ringside::sim {
namespace {

TrainingStep step_of(const Model& model, const Parallelism& p, const Topology& machine,
                     std::string algorithm = "best") {
  auto times = *GroupTimes::make(machine, std::move(algorithm));
  const auto step = simulate_step(model, simple::gpu(), p, times);
  EXPECT_TRUE(step) << (step ? "" : step.error().message);
  return step ? *step : TrainingStep{};
}

Bytes sent(const TrainingStep& step, Activity activity) {
  return step.sent[static_cast<std::size_t>(activity)];
}
Bytes all_sent(const TrainingStep& step) {
  Bytes sum{};
  for (const Bytes bytes : step.sent) sum += bytes;
  return sum;
}
std::vector<StepSpan> spans(const TrainingStep& step, Activity activity) {
  std::vector<StepSpan> found;
  for (const auto& span : step.timeline)
    if (span.activity == activity) found.push_back(span);
  return found;
}

Model stack(std::uint32_t layers) {
  return simple::model(
      {.layers = layers, .parameters = 8'000'000, .forward = 1000_us, .backward = 2000_us});
}

// Rajbhandari et al. 2020, section 7: stages 1 and 2 send what data parallelism does, 2 (N-1)/N of
// the parameters, stage 3 half as much again.
TEST(Zero, Stage3SendsOneAndAHalfTimesAsMuch) {
  const auto machine = simple::mesh(8);
  const Bytes all{4 * 8'000'000 * 2};
  for (const std::uint32_t zero : {0, 1, 2, 3}) {
    const auto step = step_of(stack(4), {.data = 8, .zero = zero}, machine);
    EXPECT_EQ(8 * all_sent(step), (zero == 3 ? 3u : 2u) * 7u * all) << "stage " << zero;
    EXPECT_EQ(8 * sent(step, Activity::gradient_reduce), (zero == 0 ? 2u : 1u) * 7u * all);
  }
}

TEST(Zero, Stage2ReducesEveryMicroBatchAndGathersOnce) {
  const auto machine = simple::mesh(8);
  const Parallelism p{.data = 8, .zero = 2, .micro_batches = 3};
  const auto step = step_of(stack(4), p, machine);
  const Bytes once{7 * 4 * 8'000'000 / 8 * 2};
  EXPECT_EQ(sent(step, Activity::gradient_reduce), 3 * once);
  EXPECT_EQ(sent(step, Activity::parameter_gather), once);
}

// Parameters of the next layer come while this one is computed: only the first are waited for.
TEST(Zero, Stage3FetchesALayerAhead) {
  const auto machine = simple::mesh(8, 400_GBps, 1_us);
  const auto step = step_of(stack(4), {.data = 8, .zero = 3}, machine);
  const auto gathers = spans(step, Activity::parameter_gather);
  ASSERT_EQ(gathers.size(), 8);
  const auto one = gathers[0].end;
  ASSERT_LT(one, 1000_us);
  EXPECT_EQ(gathers[0].begin, Duration{});
  EXPECT_EQ(gathers[1].begin, one) << "as early as the wires are free, one layer ahead";
  EXPECT_EQ(gathers[2].begin, one + 1000_us) << "when the first layer is done, and no earlier";
}

Model block(std::uint32_t layers) {
  Model model = simple::model({.layers = layers,
                               .parameters = 1'000'000,
                               .forward = 800_us,
                               .backward = 1600_us,
                               .output_elements = 4096 * 8192});
  model.heads = 64;
  Layer& layer = model.layers[0];
  layer.splits_by_tensor = true;
  layer.forward_all_reduces = layer.backward_all_reduces = 2;
  return model;
}

// Shoeybi et al. 2019: 4 all-reduces a layer of b s h elements: 4 x 2 x 7/8 x 64 MiB.
TEST(Tensor, ALayerSends448MiB) {
  const auto machine = simple::mesh(8);
  for (const bool by_sequence : {false, true}) {
    const Parallelism p{.tensor = 8, .sequence_parallel = by_sequence};
    const auto step = step_of(block(1), p, machine);
    EXPECT_EQ(sent(step, Activity::tensor_reduce), 448_MiB);
    EXPECT_EQ(all_sent(step), 448_MiB);
    EXPECT_EQ(step.shares.compute, 300_us) << "an eighth of the layer";
  }
}

TEST(Tensor, AllReducesAreOnTheCriticalPath) {
  const auto machine = simple::ring(8);
  const auto step = step_of(block(3), {.tensor = 8}, machine, "ring");
  const auto one = 14 * (5_us + wire_time(8_MiB, 20_GBps));
  EXPECT_EQ(step.time, 3 * (300_us + 4 * one));
  EXPECT_EQ(step.shares.exposed, 12 * one);
}

TEST(Tensor, FullRecomputationReducesOnceMore) {
  const auto machine = simple::ring(8);
  const auto step = step_of(block(1), {.tensor = 8, .recompute = Recompute::full}, machine, "ring");
  const auto one = 14 * (5_us + wire_time(8_MiB, 20_GBps));
  EXPECT_EQ(step.time, 400_us + 6 * one);
}

Model mixture() {
  Model model = block(2);
  Layer& layer = model.layers[0];
  layer.parameters = 10'000'000;
  layer.expert_parameters = 8'000'000;
  layer.experts = 8;
  layer.experts_per_token = 2;
  layer.output_elements = 1 << 20;
  return model;
}

TEST(Experts, FourAllToAllsALayer) {
  const auto step = step_of(mixture(), {.data = 8, .expert = 8}, simple::mesh(8));
  const Bytes one{2 * 2 * (1 << 20)};
  EXPECT_EQ(8 * sent(step, Activity::expert_exchange), 2 * 4 * 7 * one);
  // Experts are each on one GPU: nothing of them to reduce. The other 2 million parameters are.
  EXPECT_EQ(8 * sent(step, Activity::gradient_reduce), 2 * 7 * 2 * Bytes{2 * 2'000'000});
}

TEST(Experts, ReplicasOfExpertsReduceAmongThemselves) {
  const auto step = step_of(mixture(), {.data = 8, .expert = 2}, simple::mesh(8));
  const Bytes shared{2 * 2 * 2'000'000}, experts{2 * 2 * 8'000'000 / 2};
  EXPECT_EQ(8 * sent(step, Activity::gradient_reduce), 2 * 7 * shared + 2 * 6 * experts);
}

// On real machines nothing adds up so neatly; but it adds up.
TEST(Step, AnyCombinationAddsUp) {
  const auto machine = *make_cluster(*load_system("dgx-h100"), {.nodes = 4});
  auto times = *GroupTimes::make(machine);
  Model model = mixture();
  model.layers[0].repeat = 8;
  for (const std::uint32_t tensor : {1, 2, 8})
    for (const std::uint32_t pipeline : {1, 2, 4})
      for (const std::uint32_t expert : {1, 2})
        for (const std::uint32_t zero : {0, 1, 3}) {
          const Parallelism p{.data = 32 / tensor / pipeline,
                              .tensor = tensor,
                              .pipeline = pipeline,
                              .expert = std::min(expert, 32 / tensor / pipeline),
                              .zero = zero,
                              .micro_batches = 4};
          const auto step = simulate_step(model, simple::gpu(), p, times);
          ASSERT_TRUE(step) << step.error().message;
          for (const auto& of : step->stages) {
            EXPECT_EQ(of.compute + of.exposed + of.bubble, step->time);
            EXPECT_GE(of.bubble, Duration{});
          }
          EXPECT_EQ(step->shares.compute,
                    Duration{8 * 4 * (2400_us).picoseconds / tensor / pipeline});
          TimePoint last{};
          for (const auto& span : step->timeline) {
            EXPECT_LT(span.begin, span.end);
            last = std::max(last, span.end);
          }
          EXPECT_EQ(last, step->time);
        }
}

}  // namespace
}  // namespace ringside::sim
