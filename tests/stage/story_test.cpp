// What slots hold at any moment, against the replay that walks through every transfer.

#include "viz/stage/story.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>

#include "core/contributions.hpp"
#include "core/mutation.hpp"
#include "core/replay.hpp"
#include "core/schedule_builder.hpp"
#include "tests/stage/runs.hpp"
#include "viz/stage/staged_run.hpp"
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
      expect_same(story, timeline.at(slot, microseconds(s)), replay.at(slot));
      if (testing::Test::HasFailure()) FAIL() << to_string(slot) << " after " << s << " steps";
    }
  }
}

void compare_with_replay(std::uint32_t most_ranks) {
  for (const auto& [name, schedule] : all_told(1, most_ranks)) {
    SCOPED_TRACE(name);
    compare(schedule);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Story, HoldsWhatTheReplayHoldsAfterEveryStepOfEveryAlgorithm) {
  compare_with_replay(5);
}
TEST(StoryFull, HoldsWhatTheReplayHoldsAfterEveryStepOfEveryAlgorithm) {
  compare_with_replay(9);
}

using Compare = void (*)(const Schedule&);

/// Every algorithm on 4 ranks, broken in every way in some places.
std::uint32_t compare_broken(Compare compare_one, std::uint64_t places) {
  std::uint32_t broken = 0;
  for (const auto& [name, schedule] : all_told(4, 4))
    for (std::size_t m = 0; m < mutation_count; ++m)
      for (std::uint64_t seed = 0; seed < places; ++seed) {
        const auto mutant = mutate(schedule, static_cast<Mutation>(m), seed);
        if (!mutant) continue;
        ++broken;
        SCOPED_TRACE(name + ": " + mutant->what);
        compare_one(mutant->schedule);
        if (testing::Test::HasFailure()) return broken;
      }
  return broken;
}

TEST(Story, HoldsWhatTheReplayHoldsInBrokenSchedulesToo) {
  EXPECT_GT(compare_broken(compare, 1), 200u);
}
TEST(StoryFull, HoldsWhatTheReplayHoldsInBrokenSchedulesToo) {
  EXPECT_GT(compare_broken(compare, 8), 1000u);
}

/// Tells a schedule in the verifier's values, by the rule of the step.
class Symbolic {
 public:
  explicit Symbolic(const Schedule& schedule) : schedule_(schedule) {
    for (const Slot& slot : precondition(schedule.spec(), schedule.chunks()))
      now_[slot] = Contributions::one(slot.rank, slot.chunk);
  }
  void tell(Step step) {
    const auto before = now_;
    const auto held = [&](const Slot& slot) {
      const auto it = before.find(slot);
      return it == before.end() ? Contributions() : it->second;
    };
    for (auto id = schedule_.step_begin(step); id < schedule_.step_end(step); ++id.value) {
      const Transfer& t = schedule_[id];
      for (std::uint32_t i = 0; i < t.chunks(); ++i) {
        Contributions& target = now_[nth(t.dst(), i)];
        const Contributions came = held(nth(t.src(), i));
        const Contributions with = t.has_separate_operand() ? held(nth(t.with(), i)) : target;
        target = t.action() == Action::copy
                     ? came
                     : Contributions::sum(with, came, schedule_.spec().ranks);
      }
    }
  }
  const Contributions& operator[](const Slot& slot) { return now_[slot]; }

 private:
  const Schedule& schedule_;
  std::map<Slot, Contributions> now_;
};

/// Which ranks, of which chunks, and whether twice.
void expect_same(const Story& story, const Content& here, const Contributions& there,
                 std::uint32_t ranks) {
  ASSERT_EQ(here.empty(), there.empty());
  if (here.empty() || there.is_cut_short()) return;
  std::set<std::uint32_t> parts, listed;
  std::uint32_t first = UINT32_MAX;
  bool repeated = false;
  for (const Contribution& part : there.list(ranks)) {
    listed.insert(part.rank.value);
    first = std::min(first, part.chunk.value);
    repeated |= part.repeated;
  }
  for (std::uint32_t r = 0; r < ranks; ++r)
    if (story.contains(here.parts, {r})) parts.insert(r);
  EXPECT_EQ(parts, listed);
  EXPECT_EQ(story.chunk(here.parts).value, first);
  EXPECT_EQ(story.repeats(here.parts), repeated);
}

void compare_with_symbols(const Schedule& schedule) {
  const Story story(schedule);
  const auto spans = step_by_step(schedule);
  const Timeline timeline(schedule, story, spans);
  Symbolic symbolic(schedule);
  for (std::uint32_t s = 0; s <= schedule.steps(); ++s) {
    if (s > 0) symbolic.tell({s - 1});
    for (const Slot& slot : slots_of(schedule)) {
      expect_same(story, timeline.at(slot, microseconds(s)), symbolic[slot], schedule.spec().ranks);
      if (testing::Test::HasFailure()) FAIL() << to_string(slot) << " after " << s << " steps";
    }
  }
}

void compare_all_with_symbols(std::uint32_t most_ranks) {
  for (const auto& [name, schedule] : all_told(1, most_ranks)) {
    SCOPED_TRACE(name);
    compare_with_symbols(schedule);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Story, HoldsWhatTheVerifierSeesRightOrBroken) {
  compare_all_with_symbols(5);
  EXPECT_GT(compare_broken(compare_with_symbols, 1), 200u);
}
TEST(StoryFull, HoldsWhatTheVerifierSeesRightOrBroken) {
  compare_all_with_symbols(9);
  EXPECT_GT(compare_broken(compare_with_symbols, 8), 1000u);
}

/// Copies and reduces of any slots into any others, whatever that makes.
std::optional<Schedule> told_at_random(std::mt19937& random) {
  constexpr std::uint32_t ranks = 3, chunks = 3, steps = 4;
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto place = [&](std::uint32_t rank, bool is_written) {
    const Slot slot{{rank}, static_cast<Buffer>(below(3)), {below(chunks - 1)}};
    return is_written && slot.buffer == Buffer::input ? output(rank, slot.chunk.value) : slot;
  };
  ScheduleBuilder builder({.kind = CollectiveKind::all_reduce, .ranks = ranks}, chunks);
  for (std::uint32_t s = 0; s < steps; ++s, builder.next_step())
    for (auto n = 1 + below(4); n > 0; --n) {
      const std::uint32_t to = below(ranks), length = 1 + below(2);
      const Slot from = place(below(ranks), false), into = place(to, true);
      switch (below(3)) {
        case 0:
          builder.copy(from, into, length);
          break;
        case 1:
          builder.reduce(from, into, length);
          break;
        default:
          builder.reduce(from, place(to, false), into, length);
      }
    }
  auto built = std::move(builder).build();
  return built ? std::optional(*std::move(built)) : std::nullopt;
}

TEST(Story, HoldsWhatBothHoldWhateverIsTold) {
  std::mt19937 random(7);
  std::uint32_t told = 0;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    const auto schedule = told_at_random(random);
    if (!schedule) continue;
    ++told;
    SCOPED_TRACE(n);
    compare(*schedule);
    compare_with_symbols(*schedule);
    if (HasFailure()) return;
  }
  EXPECT_GT(told, 100u);
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

TEST(Timeline, HoldsTheLastCommitAtAnyTime) {
  for (const char* share :
       {"ring?ranks=5&bytes=1M&straggler=2%3D40us&slow=gpu0-%3Egpu1%3D4x",
        "nvls?system=dgx-h100&bytes=1M", "recursive_doubling?ranks=8&system=mesh&bytes=64K"}) {
    const auto run = *stage_run(scenario::parse_share_string(share)->scenario);
    const auto transfers = run->schedule->transfers();
    for (std::int64_t i = 0; i <= 20; ++i) {
      const TimePoint now{run->time().picoseconds * i / 20};
      std::map<Slot, std::pair<TransferId, std::uint32_t>> last;  // by whom, and the nth chunk
      for (TransferId id{0}; id.value < transfers.size(); ++id.value)
        for (std::uint32_t c = 0; c < transfers[id.value].chunks(); ++c) {
          const auto commit = run->spans[id.value].commit;
          if (commit > now) continue;
          const Slot slot = nth(transfers[id.value].dst(), c);
          const auto [it, is_first] = last.try_emplace(slot, id, c);
          if (!is_first && run->spans[it->second.first.value].commit <= commit)
            it->second = {id, c};
        }
      for (const Slot& slot : slots_of(*run->schedule)) {
        const auto it = last.find(slot);
        const bool is_written = it != last.end();
        EXPECT_EQ(run->timeline->writer(slot, now),
                  is_written ? it->second.first : TransferId{UINT32_MAX});
        EXPECT_EQ(run->timeline->at(slot, now),
                  is_written ? run->story->result(it->second.first, it->second.second)
                             : run->story->start(slot));
      }
    }
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
