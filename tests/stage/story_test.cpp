// What slots hold at any moment, against the replay that walks through every transfer.

#include "viz/stage/story.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/mutation.hpp"
#include "core/replay.hpp"
#include "tests/stage/runs.hpp"
#include "viz/stage/timeline.hpp"

namespace ringside::stage {
namespace {

void expect_same(const Story& story, const Content& here,
                 const std::optional<ringside::Content>& there) {
  ASSERT_EQ(here.empty(), !there.has_value());
  if (!there) return;
  EXPECT_EQ(here.value, there->value);
  EXPECT_EQ(story.count(here.parts), there->contributors());
  bool repeats = false;
  for (std::uint32_t r = 0; r < there->contributions.size(); ++r) {
    EXPECT_EQ(story.contains(here.parts, {r}), there->contributions[r] > 0) << "rank " << r;
    repeats |= there->contributions[r] > 1;
  }
  // The replay counts parts of different chunks together; a set of parts does not.
  if (story.repeats(here.parts)) {
    EXPECT_TRUE(repeats);
  }
}

void compare(const Schedule& schedule) {
  const Story story(schedule);
  const auto spans = step_by_step(schedule);
  const Timeline timeline(schedule, story, spans);
  Replay replay(schedule);
  const auto slots = slots_of(schedule);
  for (std::uint32_t s = 0; s <= schedule.steps(); ++s) {
    replay.seek(s == 0 ? 0 : schedule.step_end({s - 1}).value);
    for (const Slot& slot : slots) {
      SCOPED_TRACE("after " + std::to_string(s) + " steps, " + to_string(slot));
      expect_same(story, timeline.at(slot, microseconds(s)), replay.at(slot));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Story, HoldsWhatTheReplayHoldsAfterEveryStepOfEveryAlgorithm) {
  for (const auto& [name, schedule] : all_told(1, 9)) {
    SCOPED_TRACE(name);
    compare(schedule);
    if (HasFailure()) return;
  }
}

TEST(Story, HoldsWhatTheReplayHoldsInBrokenSchedulesToo) {
  std::uint32_t broken = 0;
  for (const auto& [name, schedule] : all_told(4, 5))
    for (std::size_t m = 0; m < mutation_count; ++m)
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const auto mutant = mutate(schedule, static_cast<Mutation>(m), seed);
        if (!mutant) continue;
        ++broken;
        SCOPED_TRACE(name + ": " + mutant->what);
        compare(mutant->schedule);
        if (HasFailure()) return;
      }
  EXPECT_GT(broken, 1000u);
}

Schedule ring(std::uint32_t ranks) {
  const auto plan = make_plan(**find_algorithm(CollectiveKind::all_reduce, "ring"),
                              {.kind = CollectiveKind::all_reduce, .ranks = ranks}, {});
  return *build_schedule(*plan);
}

TEST(Story, NamesEqualSetsEqually) {
  const Schedule schedule = ring(6);
  const Story story(schedule);
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;  // chunk and ranks -> id
  for (TransferId id{0}; id.value < schedule.transfers().size(); ++id.value) {
    const Content cargo = story.cargo(id);
    std::vector<std::uint32_t> key{story.chunk(cargo.parts).value};
    for (std::uint32_t r = 0; r < 6; ++r)
      if (story.contains(cargo.parts, {r})) key.push_back(r);
    EXPECT_EQ(known.try_emplace(key, cargo.parts.value).first->second, cargo.parts.value);
  }
  // A chunk's partial sums grow from one part to six: six sets a chunk.
  EXPECT_EQ(known.size(), 36u);
}

TEST(Story, TellsADoubledAddFromARightSum) {
  const Schedule schedule = ring(4);
  const auto mutant = mutate(schedule, Mutation::doubled_add, 0);
  const Story right(schedule), wrong(mutant->schedule);
  const auto any_repeats = [](const Schedule& told, const Story& story) {
    for (TransferId id{0}; id.value < told.transfers().size(); ++id.value)
      if (story.repeats(story.result(id).parts)) return true;
    return false;
  };
  EXPECT_FALSE(any_repeats(schedule, right));
  EXPECT_TRUE(any_repeats(mutant->schedule, wrong));
}

TEST(Timeline, GoesBackToExactlyWhatWasThere) {
  const Schedule schedule = ring(5);
  const Story story(schedule);
  const auto spans = step_by_step(schedule);
  const Timeline timeline(schedule, story, spans);
  const auto slots = slots_of(schedule);
  const auto seen = [&](TimePoint now) {
    std::vector<Content> all;
    for (const Slot& slot : slots) all.push_back(timeline.at(slot, now));
    return std::pair(all, timeline.under_way(now));
  };
  std::vector<decltype(seen({}))> forwards;
  for (std::int64_t ns = 0; ns <= 8000; ns += 250) forwards.push_back(seen(nanoseconds(ns)));
  for (std::int64_t ns = 8000; ns >= 0; ns -= 250) {
    EXPECT_EQ(seen(nanoseconds(ns)), forwards.back());
    forwards.pop_back();
  }
}

TEST(Timeline, KnowsWhatIsOnItsWayAndHowFar) {
  const Schedule schedule = ring(4);
  const Story story(schedule);
  const auto spans = step_by_step(schedule);
  const Timeline timeline(schedule, story, spans);
  EXPECT_EQ(timeline.end(), microseconds(6));
  const auto half = timeline.under_way(nanoseconds(2500));
  ASSERT_EQ(half.size(), 4u);
  for (const UnderWay& transfer : half) {
    EXPECT_EQ(schedule.step(transfer.id).value, 2u);
    EXPECT_EQ(transfer.progress, 0.5);
  }
  EXPECT_EQ(timeline.under_way(microseconds(3)).front().progress, 0);  // the next ones
  EXPECT_TRUE(timeline.under_way(timeline.end()).empty());
  EXPECT_EQ(timeline.writer(output(0, 0), TimePoint{}), TransferId{UINT32_MAX});
}

TEST(Timeline, StepsForwardsAndBackMeet) {
  const Schedule schedule = ring(4);
  const Story story(schedule);
  const auto spans = step_by_step(schedule);
  const Timeline timeline(schedule, story, spans);
  EXPECT_EQ(timeline.before(TimePoint{}), TimePoint{});
  EXPECT_EQ(timeline.after(timeline.end()), timeline.end());
  for (std::int64_t s = 0; s < 6; ++s) {
    EXPECT_EQ(timeline.after(microseconds(s)), microseconds(s + 1));
    EXPECT_EQ(timeline.before(microseconds(s + 1)), microseconds(s));
    EXPECT_EQ(timeline.after(nanoseconds(1000 * s + 1)), microseconds(s + 1));
    EXPECT_EQ(timeline.before(nanoseconds(1000 * s + 1)), microseconds(s));
    EXPECT_EQ(timeline.step_at(nanoseconds(1000 * s + 1)).value, s);
  }
}

}  // namespace
}  // namespace ringside::stage
