// The proof by random numbers against the exact one: every algorithm passes both, and a story with
// a mistake in it is refused by both or by neither.

#include "core/story_proof.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/conditions.hpp"
#include "core/mutation.hpp"
#include "core/schedule_builder.hpp"
#include "core/variants.hpp"

namespace ringside {
namespace {

std::vector<StoryFault> faults_in(const Story& story) {
  const auto proof = audit(story);
  EXPECT_TRUE(proof) << proof.error().message;
  return proof ? proof->faults : std::vector<StoryFault>{};
}

std::vector<const Algorithm*> everyone() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : all_algorithms())
    if (algorithm.collective != CollectiveKind::barrier) all.push_back(&algorithm);
  return all;
}

class Audited : public testing::TestWithParam<const Algorithm*> {};
INSTANTIATE_TEST_SUITE_P(All, Audited, testing::ValuesIn(everyone()), [](const auto& tested) {
  return std::string(name(tested.param->collective)) + "_" + std::string(tested.param->name);
});

TEST_P(Audited, EveryPlanPasses) {
  for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 6u, 8u, 13u, 16u})
    for (const auto& spec : specs_that_matter(GetParam()->collective, ranks))
      for (const Plan& plan : plans_that_matter(*GetParam(), spec)) {
        const auto faults = faults_in(story_of(plan));
        ASSERT_TRUE(faults.empty()) << ranks << " ranks: " << to_string(faults.front());
      }
}

/// What a transfer does wrong both say alike; of an output only that it is wrong.
void expect_as_exact(const Schedule& mutant, const std::string& what) {
  const auto exact = verify(mutant);
  const auto told = faults_in(story_of(mutant));
  ASSERT_EQ(told.empty(), exact.empty())
      << what << (told.empty() ? "" : ": " + to_string(told.front()));
  if (told.empty() || !told.front().at) return;
  EXPECT_EQ(told.front().kind, exact.front().kind) << what;
  EXPECT_EQ(told.front().slot, exact.front().slot) << what;
  EXPECT_EQ(told.front().at->transfer, exact.front().transfer.value) << what;
}

TEST_P(Audited, AMistakeIsSeenWhereTheExactProofSeesOne) {
  for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 5u, 8u})
    for (const bool in_place : {false, true}) {
      const Rank root{has_root(GetParam()->collective) ? ranks - 1 : 0};
      const auto plan = make_plan(*GetParam(), {GetParam()->collective, ranks, root, in_place}, {});
      if (!plan) continue;
      const auto schedule = build_schedule(*plan);
      ASSERT_TRUE(schedule) << schedule.error().message;
      for (std::size_t m = 0; m < mutation_count; ++m) {
        const auto mutation = static_cast<Mutation>(m);
        if (mutation == Mutation::drop_dependency) continue;  // a story has none to drop
        const auto count = places(*schedule, mutation);
        for (std::size_t place = 0; place < count; place += 1 + count / 24)
          if (const auto mutant = mutate(*schedule, mutation, place))
            expect_as_exact(mutant->schedule, mutant->what);
        if (HasFatalFailure()) return;
      }
    }
}

TEST(Audit, SaysHowLikelyAMistakeWouldHavePassed) {
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto proof = audit(story_of(*make_plan(**ring, {.ranks = 16}, {})));
  ASSERT_TRUE(proof);
  EXPECT_EQ(proof->error_bits, 126u - 9u);  // 256 outputs
  EXPECT_EQ(proof->transfers, 16u * 30u);
}

Story told(const CollectiveSpec& spec, std::uint32_t chunks,
           const std::function<void(TransferSink&)>& tell) {
  return {spec, chunks, 0, [tell](TransferSink& sink) {
            tell(sink);
            sink.finish();
          }};
}

TEST(Audit, NamesWhatIsWrong) {
  const CollectiveSpec two{.ranks = 2};
  const auto add = [](std::uint32_t from, std::uint32_t to) {
    return [=](TransferSink& sink) { sink.reduce(input(from, 0), input(to, 0), output(to, 0)); };
  };
  auto faults = faults_in(told(two, 1, add(1, 0)));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(to_string(faults[0]), "uninitialised: output[0] on rank 1 holds no value at the end");
  faults = faults_in(told(two, 1, [&](TransferSink& sink) {
    add(1, 0)(sink);
    add(0, 1)(sink);
    sink.next_step();
    sink.reduce(input(0, 0), output(1, 0));
    sink.copy(input(1, 0), output(0, 0));
  }));
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(to_string(faults[0]), "missing: output[0] on rank 0 lacks rank 0's chunk 0");
  EXPECT_EQ(to_string(faults[1]),
            "repeated: output[0] on rank 1 holds rank 0's chunk 0 more than once");
  faults =
      faults_in(told(two, 2, [](TransferSink& sink) { sink.copy(input(0, 1), output(1, 0)); }));
  EXPECT_EQ(faults.back().kind, ViolationKind::uninitialised);
  faults =
      faults_in(told({.kind = CollectiveKind::broadcast, .ranks = 2}, 2, [](TransferSink& sink) {
        sink.copy(input(0, 0), output(0, 0), 2);
        sink.copy(input(0, 1), output(1, 0));
        sink.copy(input(1, 1), output(1, 1));
      }));
  EXPECT_EQ(to_string(faults[0]),
            "outside: transfer 2 (step 0) names input[1] on rank 1, which this collective does not "
            "give that rank");
}

TEST(Audit, SeesAnOperandOverwrittenTooEarly) {
  const auto swap = [](bool early) {
    return [early](TransferSink& sink) {
      for (std::uint32_t r = 0; r < 2; ++r) sink.copy(input(r, 0), output(r, 0));
      sink.next_step();
      if (early) sink.copy(input(1, 0), output(0, 0));
      sink.reduce(input(1, 0), output(0, 0), scratch(0, 0));
      if (!early) sink.copy(scratch(0, 0), output(0, 0));
    };
  };
  const auto faults = faults_in(told({.ranks = 2}, 1, swap(true)));
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(to_string(faults[0]),
            "race: transfer 2 (step 1) overwrites the operand on output[0] on rank 0 that is still "
            "needed");
  const auto kinds = faults_in(told({.ranks = 2}, 1, swap(false)));
  for (const auto& fault : kinds) EXPECT_NE(fault.kind, ViolationKind::race);
}

TEST(Conditions, AreTheListsInRuns) {
  for (std::size_t k = 0; k < collective_count; ++k) {
    const CollectiveSpec spec{.kind = static_cast<CollectiveKind>(k), .ranks = 6, .root = {2}};
    std::size_t slots = 0;
    for_each_given(spec, 12, [&](const GivenRun& run) { slots += run.count; });
    EXPECT_EQ(slots, precondition(spec, 12).size());
  }
}

}  // namespace
}  // namespace ringside
