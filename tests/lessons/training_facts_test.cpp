#include "lessons/course/training_facts.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "core/engine.hpp"
#include "lessons/course/facts.hpp"

namespace ringside::lessons {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<double> fact(std::string_view name, const std::vector<double>& numbers) {
  for (const auto& fact : training_facts())
    if (fact.name == name) {
      EXPECT_EQ(fact.arguments.size(), numbers.size());
      return fact.of(numbers);
    }
  ADD_FAILURE() << "no fact " << name;
  return 0;
}

// The closed forms that docs/training-step.md names, at the numbers of the lessons.
TEST(TrainingFacts, EqualBucketsUnderBackward) {
  const double ready = 20e-3 / 5, c = 14 * (5e-6 + 102.4e6 / 5 / 8 / 20e9);
  EXPECT_NEAR(*fact("bucket_step", {8, 20e-3, 102.4e6, 5, 20e9, 5e-6}), 20e-3 + c, 1e-9);
  const double slow = 14 * (5e-6 + 102.4e6 / 5 / 8 / 5e9);
  EXPECT_NEAR(*fact("bucket_step", {8, 20e-3, 102.4e6, 5, 5e9, 5e-6}), ready + 5 * slow, 1e-9)
      << "a queue";
}

TEST(TrainingFacts, ZeroSendsAndHolds) {
  for (const double stage : {0, 1, 2, 3})
    EXPECT_DOUBLE_EQ(*fact("zero_sent", {stage, 8, 14e9}), (stage == 3 ? 3 : 2) * 7.0 / 8 * 14e9);
  EXPECT_DOUBLE_EQ(*fact("zero_memory", {0, 64, 7.5e9}), 120e9);
  EXPECT_NEAR(*fact("zero_memory", {1, 64, 7.5e9}), 31.4e9, 0.05e9);
  EXPECT_NEAR(*fact("zero_memory", {2, 64, 7.5e9}), 16.6e9, 0.05e9);
  EXPECT_NEAR(*fact("zero_memory", {3, 64, 7.5e9}), 1.9e9, 0.05e9);
}

TEST(TrainingFacts, TensorAndPipeline) {
  EXPECT_DOUBLE_EQ(*fact("tensor_sent", {8, 64 << 20}), 448.0 * (1 << 20));
  EXPECT_DOUBLE_EQ(*fact("pipeline_bubble", {4, 8}), 3.0 / 11);
  EXPECT_DOUBLE_EQ(*fact("pipeline_bubble", {4, 1}), 3.0 / 4);
}

TEST(TrainingFacts, SayWhichNumberCannotBe) {
  EXPECT_FALSE(fact("zero_sent", {4, 8, 1e9}));
  EXPECT_THAT(fact("pipeline_bubble", {2.5, 8}).error().message, HasSubstr("not 2.5"));
  EXPECT_FALSE(fact("bucket_step", {8, 20e-3, std::nan(""), 5, 20e9, 5e-6})) << "no number";
}

// Chunk c of a ring is added up from rank c + 1 round to rank c; a tree adds pairs.
TEST(FloatSum, DependsOnTheOrderOfAdditions) {
  const std::vector<float> parts{1e8f, 1, -1e8f, 1};
  const auto sums = [&](const char* algorithm) {
    const auto& found = **find_algorithm(CollectiveKind::all_reduce, algorithm);
    Experiment run;
    run.schedule = std::make_shared<const Schedule>(
        *build_schedule(*make_plan(found, {.kind = CollectiveKind::all_reduce, .ranks = 4}, {})));
    std::vector<float> all;
    for (ChunkId chunk{0}; chunk.value < run.schedule->chunks(); ++chunk.value)
      all.push_back(*float_sum(run, chunk, parts));
    return all;
  };
  EXPECT_THAT(sums("ring"), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(sums("binomial_tree"), ElementsAre(0));
}

}  // namespace
}  // namespace ringside::lessons
