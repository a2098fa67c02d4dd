// The replay that people look at, against what the verifier demands.

#include "core/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "core/mutation.hpp"
#include "core/variants.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

struct Story {
  std::string name;
  Schedule schedule;
};

/// Every algorithm with its default options at 2..most ranks, every root that matters, in place and
/// not.
std::vector<Story> stories(std::uint32_t most) {
  std::vector<Story> all;
  for (const Algorithm& algorithm : all_algorithms())
    for (std::uint32_t n = 2; n <= most; ++n)
      for (const auto& spec : specs_that_matter(algorithm.collective, n)) {
        const auto plan = make_plan(algorithm, spec, {});
        if (!plan) continue;
        all.push_back({std::string(name(spec.kind)) + " " + std::string(algorithm.name) + " on " +
                           std::to_string(n) + (spec.in_place ? " in place" : "") + ", root " +
                           std::to_string(spec.root.value),
                       *build_schedule(*plan)});
      }
  return all;
}

std::vector<Slot> slots_of(const Schedule& schedule) {
  std::vector<Slot> slots;
  for (std::uint32_t r = 0; r < schedule.participants(); ++r) {
    for (std::uint32_t c = 0; c < schedule.chunks(); ++c)
      slots.push_back(input(r, c)), slots.push_back(output(r, c));
    for (std::uint32_t x = 0; x < schedule.scratch_chunks(); ++x) slots.push_back(scratch(r, x));
  }
  return slots;
}

/// All that can be seen at one position.
std::vector<double> seen(const Replay& replay, const std::vector<Slot>& slots) {
  std::vector<double> all;
  for (const Slot& slot : slots) {
    const auto& content = replay.at(slot);
    all.push_back(content ? content->value : -1);
    if (content)
      all.insert(all.end(), content->contributions.begin(), content->contributions.end());
  }
  return all;
}

bool meets(const Content& content, const Expectation& e) {
  for (std::uint32_t r = 0; r < content.contributions.size(); ++r) {
    const bool belongs = r >= e.first.value && r < e.first.value + e.count;
    const auto times = content.contributions[r];
    if (e.each_at_least_once ? times < belongs : times != belongs) return false;
  }
  return true;
}

bool meets_postcondition(Replay& replay, const Schedule& schedule) {
  replay.seek(replay.length());
  const auto wanted = postcondition(schedule.spec(), schedule.chunks());
  return std::all_of(wanted.begin(), wanted.end(), [&](const Expectation& e) {
    const auto& content = replay.at(e.slot);
    return content && meets(*content, e);
  });
}

TEST(Replay, EndsWithThePostcondition) {
  const auto all = stories(6);
  EXPECT_GT(all.size(), 300u);
  for (const auto& [name, schedule] : all) {
    Replay replay(schedule);
    EXPECT_TRUE(meets_postcondition(replay, schedule)) << name;
  }
}

TEST(Replay, ValuesAreTheSumsOfTheirParts) {
  for (const auto& [name, schedule] : stories(6)) {
    if (schedule.spec().kind == CollectiveKind::barrier) continue;  // parts may come twice
    Replay replay(schedule);
    replay.seek(replay.length());
    for (const Expectation& e : postcondition(schedule.spec(), schedule.chunks())) {
      double sum = 0;
      for (std::uint32_t r = e.first.value; r < e.first.value + e.count; ++r)
        sum += demonstration_value({r}, e.from_chunk);
      ASSERT_DOUBLE_EQ(replay.at(e.slot)->value, sum) << name << ", " << to_string(e.slot);
    }
  }
}

TEST(Replay, StartsWithThePrecondition) {
  for (const auto& [name, schedule] : stories(5)) {
    Replay replay(schedule);
    ASSERT_EQ(replay.position(), 0u);
    const auto given = precondition(schedule.spec(), schedule.chunks());
    for (const Slot& slot : slots_of(schedule)) {
      const bool has = std::find(given.begin(), given.end(), slot) != given.end();
      ASSERT_EQ(replay.at(slot).has_value(), has) << name << ", " << to_string(slot);
      const double wanted = has ? demonstration_value(slot.rank, slot.chunk) : 0;
      EXPECT_EQ(has ? replay.at(slot)->value : 0, wanted);
    }
  }
}

TEST(Replay, BackwardsAndJumpsShowWhatForwardsShows) {
  std::mt19937 random(7);
  for (const auto& [name, schedule] : stories(5)) {
    const auto slots = slots_of(schedule);
    Replay replay(schedule);
    std::vector<std::vector<double>> forwards;
    for (std::uint32_t p = 0; p <= replay.length(); ++p) {
      replay.seek(p);
      forwards.push_back(seen(replay, slots));
    }
    for (std::uint32_t p = replay.length() + 1; p-- > 0;) {
      replay.seek(p);
      ASSERT_EQ(seen(replay, slots), forwards[p]) << name << " backwards at " << p;
    }
    std::vector<std::uint32_t> order(forwards.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const auto p : order) {
      replay.seek(p);
      ASSERT_EQ(replay.position(), p);
      ASSERT_EQ(seen(replay, slots), forwards[p]) << name << " jumped to " << p;
    }
  }
}

TEST(Replay, EachTransferChangesItsTargetAlone) {
  for (const auto& [name, schedule] : stories(5)) {
    const auto slots = slots_of(schedule);
    Replay replay(schedule);
    for (TransferId id{0}; id.value < replay.length(); ++id.value) {
      const Slot dst = schedule[id].dst();
      const auto is_target = [&](const Slot& slot) {
        return slot.rank == dst.rank && slot.buffer == dst.buffer &&
               slot.chunk.value >= dst.chunk.value &&
               slot.chunk.value < dst.chunk.value + schedule[id].chunks();
      };
      std::vector<Slot> others;
      std::copy_if(slots.begin(), slots.end(), std::back_inserter(others),
                   [&](const Slot& slot) { return !is_target(slot); });
      replay.seek(id.value);
      const auto before = seen(replay, others);
      replay.seek(id.value + 1);
      ASSERT_EQ(seen(replay, others), before) << name << ", transfer " << id.value;
    }
  }
}

/// A replay shows a fault that the verifier names, unless it is one of timing.
TEST(Replay, ShowsWhatIsWrong) {
  std::uint32_t shown = 0;
  for (const auto& [name, schedule] : stories(4))
    for (std::uint32_t kind = 0; kind < mutation_count; ++kind) {
      auto mutant = mutate(schedule, static_cast<Mutation>(kind), 11);
      if (!mutant) continue;
      const auto violations = verify(mutant->schedule, 1);
      if (violations.empty()) continue;
      const auto fault = violations.front().kind;
      if (fault != ViolationKind::missing && fault != ViolationKind::repeated) continue;
      Replay replay(mutant->schedule);
      EXPECT_FALSE(meets_postcondition(replay, mutant->schedule)) << name << ", mutation " << kind;
      ++shown;
    }
  EXPECT_GT(shown, 50u);
}

TEST(Replay, SomethingTwiceCountsTwice) {
  Content content{{1, 0, 2, 1}, 3};
  EXPECT_EQ(content.contributors(), 3u);
  EXPECT_EQ(demonstration_value({0}, {0}), 2);
  EXPECT_EQ(demonstration_value({3}, {2}), 500);
  EXPECT_EQ(demonstration_value({3}, {7}), 500) << "chunks count modulo five";
}

}  // namespace
}  // namespace ringside
