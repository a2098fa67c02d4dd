// Any schedule as groups of sends and receives, run as NCCL runs them.

#include "gpu/nccl/grouped_plan.hpp"

#include <gmock/gmock.h>

#include "gpu/nccl/grouped_trace.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/nccl/group_mistakes.hpp"
#include "tests/nccl/group_replay.hpp"

namespace ringside::nccl {
namespace {

using conformance::Case;
using conformance::Report;

std::vector<Case> cases_of(const Algorithm& algorithm) {
  return conformance::cases_of(algorithm, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}

/// Groups as small as they can be make every step several rounds.
TEST(GroupedPlan, GivesTheRightResultInWhateverOrderRanksGo) {
  Report report;
  std::uint64_t turn = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& c : cases_of(algorithm)) {
      const auto backend = make_group_replay(turn, turn % 3 == 0   ? 1
                                                   : turn % 3 == 1 ? 2
                                                                   : most_ends);
      ++turn;
      conformance::run(*backend, c, report);
    }
  EXPECT_GT(report.cases, 3000);
  EXPECT_EQ(report.failures, std::vector<std::string>{});
}

Schedule schedule_of(CollectiveKind kind, const char* algorithm, std::uint32_t ranks) {
  const Plan plan =
      *make_plan(**find_algorithm(kind, algorithm), {.kind = kind, .ranks = ranks}, {});
  return *build_proven(plan);
}

/// Rounds as long as each other on every rank.
std::vector<std::vector<TurnTimes>> times_of(const GroupedPlan& plan) {
  std::vector<std::vector<TurnTimes>> times;
  for (const RankTurns& rank : plan.ranks) {
    auto& own = times.emplace_back();
    for (const Turn& turn : rank.turns) {
      const TimePoint began = turn.round * 10_us;
      own.push_back({began, began + 5_us, began + 8_us});
    }
  }
  return times;
}

TEST(GroupedTrace, HasASpanForEachTransferInTheOrderOfTheirData) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t most : {2u, most_ends}) {
      const CollectiveSpec spec{.kind = algorithm.collective, .ranks = 4};
      const auto plan = make_plan(algorithm, spec, {});
      if (!plan || plan->options.agents > 0) continue;
      const auto schedule = build_proven(*plan).value();
      const auto groups =
          plan_groups({&schedule, spec.kind == CollectiveKind::barrier ? 0u : 3u}, most);
      const auto spans = spans_of(schedule, groups, times_of(groups));
      ASSERT_EQ(spans.size(), schedule.transfers().size());
      for (std::uint32_t id = 0; id < spans.size(); ++id) {
        const Span& span = spans[id];
        EXPECT_TRUE(span.ready <= span.begin && span.begin <= span.read &&
                    span.read <= span.commit && span.begin <= span.arrival &&
                    span.arrival <= span.commit)
            << algorithm.name << ", transfer " << id;
        for (const Dependency& d : schedule.dependencies({id})) {
          const Span& other = spans[d.on.value];
          EXPECT_LE(d.kind == DependencyKind::war ? other.begin : other.commit,
                    d.kind == DependencyKind::raw ? span.begin : span.commit)
              << algorithm.name << ", transfer " << id << " after " << d.on.value;
        }
      }
    }
}

TEST(GroupedTrace, MessagesOfAGroupShareItsTimesAndWorkComesBehindIt) {
  const auto schedule = schedule_of(CollectiveKind::all_reduce, "ring", 3);
  const auto groups = plan_groups({&schedule, 9});
  const auto spans = spans_of(schedule, groups, times_of(groups));
  for (std::uint32_t id = 0; id < spans.size(); ++id) {
    const TimePoint began = schedule.step({id}).value * 10_us;
    const bool adds = schedule[{id}].action() == Action::reduce;
    EXPECT_EQ(spans[id].begin, began);
    EXPECT_EQ(spans[id].read, began + 5_us);
    EXPECT_EQ(spans[id].arrival, began + 5_us);
    EXPECT_EQ(spans[id].commit, began + (adds ? 8_us : 5_us));
  }
}

TEST(GroupedPlan, RingReceivesStraightWhereNothingIsAdded) {
  const auto schedule = schedule_of(CollectiveKind::all_reduce, "ring", 4);
  const auto plan = plan_groups({&schedule, 16});
  ASSERT_EQ(plan.ranks.size(), 4u);
  for (std::size_t r = 0; r < 4; ++r) {
    const RankTurns& own = plan.ranks[r];
    std::size_t added = 0, straight = 0;
    for (std::size_t t = 0; t < own.turns.size(); ++t)
      for (const MessageEnd& end : own.ends_of(t))
        if (!end.sends) ++(end.at.area == cuda::Area::landing ? added : straight);
    EXPECT_EQ(added, 3u);
    EXPECT_EQ(straight, 3u);
    EXPECT_EQ(plan.bytes[r].landing, 16u);  // every step anew
  }
}

TEST(GroupedPlan, NoGroupHoldsMoreThanItMay) {
  const auto schedule = schedule_of(CollectiveKind::all_to_all, "direct", 9);
  for (const std::uint32_t most : {1u, 3u, 5u, most_ends}) {
    const auto plan = plan_groups({&schedule, 3}, most);
    std::size_t ends = 0;
    for (const RankTurns& own : plan.ranks)
      for (std::size_t t = 0; t < own.turns.size(); ++t) {
        EXPECT_LE(own.ends_of(t).size(), most);
        ends += own.ends_of(t).size();
      }
    EXPECT_EQ(ends, 2u * 9 * 8);
  }
}

TEST(GroupedPlan, NothingIsSentWhereThereIsNothing) {
  for (const Algorithm& algorithm : all_algorithms()) {
    const auto made = make_plan(algorithm, {.kind = algorithm.collective, .ranks = 4}, {});
    if (!made || made->options.agents > 0 || algorithm.collective == CollectiveKind::barrier)
      continue;
    const auto schedule = build_schedule(*made).value();
    for (const RankTurns& own : plan_groups({&schedule, 0}).ranks) {
      EXPECT_TRUE(own.ends.empty());
      EXPECT_TRUE(own.work.empty());
    }
  }
}

/// Every mistake is found by some case, and by none that the plan does without it.
class GroupMistakes : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(All, GroupMistakes,
                         testing::Range<std::size_t>(0, group_mistakes().size()),
                         [](const auto& tested) {
                           return std::string(group_mistakes()[tested.param].name);
                         });

TEST_P(GroupMistakes, AreFound) {
  const GroupMistake& mistake = group_mistakes()[GetParam()];
  std::uint64_t turn = 0, made = 0, found = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& c : conformance::cases_of(algorithm, {2, 3, 4, 5})) {
      if (++turn % 4 != 0 || c.problem.count == 0) continue;
      bool is_made = false;
      const auto backend =
          make_group_replay(turn, turn % 8 == 0 ? 2 : most_ends,
                            [&](GroupedPlan& plan) { is_made = mistake.make(plan, turn); });
      Report report;
      conformance::run(*backend, c, report);
      made += is_made;
      found += is_made && !report.failures.empty();
      EXPECT_TRUE(is_made || report.failures.empty());
    }
  EXPECT_GT(made, 5u);
  EXPECT_GE(found * 100, made * mistake.share) << "found " << found << " of " << made;
}

}  // namespace
}  // namespace ringside::nccl
