// An all-reduce's halves have names where they are what the names say, and none elsewhere.

#include "viz/stage/phases.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/algorithm.hpp"
#include "core/mutation.hpp"
#include "tests/stage/runs.hpp"
#include "viz/stage/timeline.hpp"

namespace ringside::stage {
namespace {

Schedule told(std::string_view algorithm, std::uint32_t ranks) {
  const auto found = find_algorithm(CollectiveKind::all_reduce, algorithm);
  return *build_schedule(
      *make_plan(**found, {.kind = CollectiveKind::all_reduce, .ranks = ranks}, {}));
}

std::optional<Phases> phases_of(const Schedule& schedule) {
  return find_phases(schedule, Story(schedule));
}

TEST(Phases, ARingScattersAndGathersInHalfOfItsStepsEach) {
  for (const std::uint32_t n : {2u, 3u, 5u, 8u}) {
    const auto phases = phases_of(told("ring", n));
    ASSERT_TRUE(phases) << n;
    EXPECT_EQ(phases->kind, Phases::Kind::scatter_gather);
    EXPECT_EQ(phases->second, Step{n - 1});
  }
}

TEST(Phases, ATreeReducesAndBroadcasts) {
  const auto phases = phases_of(told("binomial_tree", 8));
  ASSERT_TRUE(phases);
  EXPECT_EQ(phases->kind, Phases::Kind::reduce_broadcast);
  EXPECT_EQ(phases->second, Step{3});
}

TEST(Phases, HaveNoNameWhereEveryStepAdds) {
  EXPECT_FALSE(phases_of(told("recursive_doubling", 8)));
  EXPECT_FALSE(phases_of(told("double_binary_tree", 8)));
}

TEST(Phases, HaveNoNameInABrokenRun) {
  const auto mutant = mutate(told("ring", 5), Mutation::wrong_neighbour, 1);
  ASSERT_TRUE(mutant);
  EXPECT_FALSE(phases_of(mutant->schedule));
}

/// Told again the slow way: replay to the boundary and look.
TEST(Phases, AreTrueOfEveryAllReduce) {
  std::size_t named = 0;
  for (const Told& run : all_told(2, 8)) {
    const Story story(run.schedule);
    const auto phases = find_phases(run.schedule, story);
    if (!phases) continue;
    EXPECT_EQ(run.schedule.spec().kind, CollectiveKind::all_reduce) << run.name;
    ++named;
    const auto spans = step_by_step(run.schedule);
    const Timeline timeline(run.schedule, story, spans);
    const TimePoint between = microseconds(phases->second.value);
    std::vector<std::uint32_t> whole(run.schedule.spec().ranks, 0);
    for (const Slot& slot : slots_of(run.schedule))
      if (slot.rank.value < whole.size() && slot.buffer != Buffer::scratch) {
        const PartsId parts = timeline.at(slot, between).parts;
        whole[slot.rank.value] += story.count(parts) == story.complete() ? 1 : 0;
      }
    const auto [least, most] = std::ranges::minmax(whole);
    if (phases->kind == Phases::Kind::scatter_gather) {
      EXPECT_EQ(least, most) << run.name;
    } else {
      EXPECT_EQ(std::ranges::count(whole, 0u), std::ssize(whole) - 1) << run.name;
    }
  }
  EXPECT_GT(named, 20u);
}

}  // namespace
}  // namespace ringside::stage
