// What makes workers one trainer, and what people get wrong about it.

#include "lessons/training/trainer.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "gpu/host/host_backend.hpp"
#include "lessons/training/phase_events.hpp"
#include "tests/core/trace_events_rules.hpp"

namespace ringside::training {
namespace {

TrainingOptions small(std::vector<std::uint32_t> shards = {8, 8, 8, 8}) {
  return {.learning_rate = 0.25F,
          .workers = static_cast<std::uint32_t>(shards.size()),
          .steps = 5,
          .shards = std::move(shards)};
}

TrainingRun trained(const TrainingOptions& options) {
  const auto backend = make_host_backend();
  auto run = train(options, *backend, {});
  EXPECT_TRUE(run) << run.error().message;
  return run.value_or(TrainingRun{});
}

/// The loss curve, bit by bit, and the weights it led to.
void expect_same(const TrainingRun& a, const TrainingRun& b) {
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    EXPECT_EQ(a.steps[i].loss, b.steps[i].loss) << i;
    EXPECT_EQ(a.steps[i].digest, b.steps[i].digest) << i;
  }
}

TEST(Trainer, WorkersAreOneWorkerWithTheWholeBatch) {
  for (const auto& shards :
       std::vector<std::vector<std::uint32_t>>{{8, 8, 8, 8}, {3, 1}, {9, 8, 8}, {1, 0, 5}, {32}})
    for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::adam}) {
      auto options = small(shards);
      options.optimizer = optimizer;
      const auto run = trained(options);
      EXPECT_TRUE(run.replicas_identical());
      EXPECT_TRUE(run.equals_one_worker());
      for (const auto& step : run.steps) {
        ASSERT_TRUE(step.compared);
        EXPECT_NEAR(step.loss, step.compared->loss, 1e-4);
      }
      EXPECT_LT(run.apart_from_one, 1e-3);
    }
}

/// Adam finds its way in few steps.
TrainingOptions words(std::uint32_t steps) {
  auto options = small({3, 2, 3});
  options.task = Task::reverse;
  options.model = Model::transformer;
  options.optimizer = OptimizerKind::adam;
  options.learning_rate = 0.01F;
  options.steps = steps;
  return options;
}

TEST(Trainer, ATransformerToo) {
  const auto run = trained(words(50));
  EXPECT_TRUE(run.replicas_identical());
  EXPECT_TRUE(run.equals_one_worker());
  EXPECT_LT(run.steps.back().loss, run.steps.front().loss / 3);
  EXPECT_GT(run.answers_right, 0.9);
}

/// Each way to add up rounds differently, and all stay within the bound.
TEST(Trainer, EveryAlgorithmWillDo) {
  for (const std::string algorithm : {"ring", "direct", "binomial_tree", "halving_doubling"}) {
    auto options = small();
    options.algorithm = algorithm;
    const auto run = trained(options);
    EXPECT_TRUE(run.replicas_identical()) << algorithm;
    EXPECT_TRUE(run.equals_one_worker()) << algorithm;
  }
}

TEST(Trainer, TheSameSeedGivesTheSameBits) {
  const auto once = trained(small());
  expect_same(once, trained(small()));
  auto other = small();
  other.seed = 2;
  EXPECT_NE(once.steps.back().digest, trained(other).steps.back().digest);
}

TEST(Trainer, EveryBackendGivesTheSameBits) {
  const auto backend = make_reference_backend();
  const auto run = train(small(), *backend, {});
  ASSERT_TRUE(run) << run.error().message;
  expect_same(*run, trained(small()));
}

TEST(Trainer, WithoutSyncReplicasDriftApart) {
  auto options = words(20);
  options.way = Way::no_sync;
  const auto run = trained(options);
  EXPECT_FALSE(run.replicas_identical());
  EXPECT_FALSE(run.equals_one_worker());
  EXPECT_GT(run.steps.front().apart, 0);
  EXPECT_GT(run.steps.back().apart, 4 * run.steps.front().apart) << "further and further";
}

TEST(Trainer, WithoutBroadcastReplicasStayAsFarApartAsTheyBegan) {
  auto options = small();
  options.broadcast = false;
  const auto run = trained(options);
  EXPECT_FALSE(run.replicas_identical());
  EXPECT_NEAR(run.steps.back().apart, run.steps.front().apart, 1e-5)
      << "all add the same changes to different weights";
}

/// Scaling by a power of two rounds nothing, so the same is the same bit by bit.
TEST(Trainer, ASumIsALearningRateTimesTheWorkers) {
  auto sum = small();
  sum.way = Way::sum;
  sum.learning_rate = 0.0625F;
  const auto run = trained(sum);
  expect_same(run, trained(small()));
  EXPECT_TRUE(run.replicas_identical()) << "all equally wrong";
  EXPECT_FALSE(run.equals_one_worker());
  EXPECT_NEAR(run.steps.front().compared->length, 4, 1e-5);
}

TEST(Trainer, AverageLossesIsWrongWhereShardsDiffer) {
  auto options = small({3, 1});
  options.way = Way::average_losses;
  const auto run = trained(options);
  EXPECT_TRUE(run.replicas_identical()) << "all equally wrong";
  EXPECT_FALSE(run.equals_one_worker());
  const auto& first = run.first;
  EXPECT_NEAR(first.averaged, (first.workers[0].gradient + first.workers[1].gradient) / 2, 1e-6);
  EXPECT_NEAR(first.whole_batch, (3 * first.workers[0].gradient + first.workers[1].gradient) / 4,
              1e-6);
}

TEST(Trainer, AverageLossesIsRightWhereShardsAreEqual) {
  auto options = small();
  options.way = Way::average_losses;
  EXPECT_TRUE(trained(options).equals_one_worker());
}

TEST(Trainer, TheFirstStepIsToldInFull) {
  const auto run = trained(small());
  const auto& first = run.first;
  ASSERT_EQ(first.workers.size(), 4u);
  double sum = 0;
  for (const auto& worker : first.workers) {
    sum += worker.gradient;
    EXPECT_EQ(worker.before, first.workers.front().before);
    EXPECT_EQ(worker.after, first.workers.front().after);
    EXPECT_FLOAT_EQ(static_cast<float>(worker.before + first.change),
                    static_cast<float>(worker.after));
  }
  EXPECT_NEAR(first.averaged, sum / 4, 1e-6);
  EXPECT_NEAR(first.change, -0.25 * first.averaged, 1e-6);
}

TEST(Trainer, EveryPhaseOfEveryStepIsASpan) {
  const auto run = trained(small());
  EXPECT_EQ(run.spans.size(), 4 * (1 + 5 * (phase_count - 1)));
  for (std::size_t i = 0; i < run.spans.size(); ++i) {
    const auto& span = run.spans[i];
    EXPECT_LE(span.begin, span.end);
    if (i == 0 || span.worker != run.spans[i - 1].worker) continue;
    EXPECT_LE(run.spans[i - 1].end, span.begin) << "one after the other";
  }
}

/// What a trace must keep to, with the messages of every step.
TEST(Trainer, ATraceIsOneThatPerfettoTakes) {
  auto options = small({2, 2, 2});
  options.run.trace = true;
  const auto run = trained(options);
  expect_same(run, trained(small({2, 2, 2})));
  std::string text;
  ASSERT_TRUE(write_phase_events(run, {"1", "train"}, [&](std::string_view piece) -> Result<void> {
    text += piece;
    return {};
  }));
  TraceEventRules rules;
  EXPECT_THAT(rules.faults_of(text), testing::IsEmpty());
  constexpr std::size_t phases = 3 * (1 + 5 * (phase_count - 1));
  constexpr std::size_t messages = 5 * 2 * (3 - 1) * 3;  // ring: 2 (N-1) steps of N messages
  EXPECT_EQ(rules.slices, phases + 2 * messages);
  EXPECT_EQ(rules.processes.size(), 3u);
}

TEST(Trainer, RefusesWhatCannotBe) {
  const auto backend = make_host_backend();
  auto unknown = small();
  unknown.algorithm = "rign";
  EXPECT_FALSE(train(unknown, *backend, {}));
  auto points = small();
  points.model = Model::transformer;
  EXPECT_FALSE(train(points, *backend, {}));
}

}  // namespace
}  // namespace ringside::training
