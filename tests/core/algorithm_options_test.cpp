// What algorithms make of what the user asks for, and what they say when they cannot.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/engine.hpp"

namespace ringside {
namespace {

using testing::HasSubstr;

Result<Plan> plan(std::string_view name, std::uint32_t ranks, const Options& options) {
  const auto algorithm = find_algorithm(CollectiveKind::all_reduce, name);
  return make_plan(**algorithm, {CollectiveKind::all_reduce, ranks}, options);
}

void expect_refusal(std::string_view name, std::uint32_t ranks, const Options& options,
                    const std::string& words) {
  const auto refused = plan(name, ranks, options);
  ASSERT_FALSE(refused) << name << " should have refused";
  EXPECT_THAT(refused.error().message, HasSubstr(words));
  EXPECT_EQ(refused.error().kind, ErrorKind::request);
}

TEST(AlgorithmOptions, CompleteAnswersForEveryAlgorithm) {
  for (const Algorithm& algorithm : all_algorithms())
    for (std::uint32_t n = 1; n <= 40; ++n) {
      const auto p = make_plan(algorithm, {algorithm.collective, n}, {});
      if (!p) continue;
      EXPECT_GT(p->options.chunks, 0u) << algorithm.name;
      EXPECT_GT(p->options.channels, 0u) << algorithm.name;
      // Asking for what one got changes nothing.
      EXPECT_EQ(algorithm.complete(p->spec, p->options), p->options) << algorithm.name << ' ' << n;
      EXPECT_TRUE(build_schedule(*p)->channels() <= p->options.channels) << algorithm.name;
    }
}

TEST(AlgorithmOptions, RefusalsSayWhatWouldBeRight) {
  expect_refusal("ring", 8, {.chunks = 12}, "a multiple of 8 chunks");
  expect_refusal("star", 8, {.chunks = 2}, "needs --chunks 1, not 2");
  expect_refusal("halving_doubling", 9, {.chunks = 9}, "needs --chunks 8, not 9");
  expect_refusal("hierarchical", 12, {.ranks_per_node = 8}, "8 ranks a node do not divide 12");
  expect_refusal("torus", 12, {.dims = {3, 5}}, "multiply to 12 ranks, not 3x5");
  expect_refusal("torus", 12, {.dims = {0, 12}}, "not 0x12");
  expect_refusal("torus", 16, {.dims = {65536, 65536, 65536, 65536}}, "multiply to 16 ranks");
  expect_refusal("multi_ring", 8, {.channels = 5000}, "at most 1024 channels");
  expect_refusal("multi_ring", 8, {.ranks_per_node = 3}, "3 ranks a node do not divide 8");
  expect_refusal("nvls", 8, {.agents = 2'000'000}, "too many agents");
  expect_refusal("sharp", 8, {.agents = 2'000'000}, "too many agents");
  expect_refusal("ring", 8, {.chunks = 4'000'000'000}, "too finely cut");
  // Defaults are made of what was asked for, and must not wrap round into something that fits.
  expect_refusal("nvls", 1000, {.agents = 1'000'000}, "too finely cut");
  expect_refusal("nvls", 1 << 19, {.agents = 1 << 19}, "too finely cut");
  expect_refusal("multi_ring", 5000, {.channels = 1024}, "too finely cut");
}

TEST(AlgorithmOptions, RankOrdersArePermutations) {
  const auto ranks = [](std::initializer_list<std::uint32_t> list) {
    std::vector<Rank> order;
    for (const auto r : list) order.push_back({r});
    return order;
  };
  EXPECT_TRUE(plan("ring", 3, {.rank_order = {ranks({2, 0, 1})}}));
  expect_refusal("ring", 3, {.rank_order = {ranks({2, 0, 1}), ranks({0, 1})}}, "2 of the 3 ranks");
  expect_refusal("ring", 3, {.rank_order = {ranks({0, 1, 3})}}, "names rank 3");
  expect_refusal("ring", 3, {.rank_order = {ranks({0, 1, 1})}}, "rank 1 twice");
}

TEST(AlgorithmOptions, RingFollowsTheRankOrder) {
  const auto p = plan("ring", 4, {.rank_order = {{{0}, {2}, {1}, {3}}}});
  ASSERT_TRUE(p);
  const auto schedule = build_schedule(*p);
  const std::set<std::pair<std::uint32_t, std::uint32_t>> neighbours{
      {0, 2}, {2, 1}, {1, 3}, {3, 0}};
  for (const Transfer& t : schedule->transfers())
    EXPECT_TRUE(neighbours.contains({t.src().rank.value, t.dst().rank.value}));
}

TEST(AlgorithmOptions, MultiRingSharesNoWireAmongItsRings) {
  for (std::uint32_t n = 2; n <= 64; ++n) {
    const auto p = plan("multi_ring", n, {});
    std::set<std::pair<Rank, Rank>> wires;
    for (const auto& ring : p->options.rank_order)
      for (std::uint32_t i = 0; i < n; ++i)
        EXPECT_TRUE(wires.insert({ring[i], ring[(i + 1) % n]}).second) << n << " ranks";
  }
}

TEST(AlgorithmOptions, MultiRingCrossesEachNodeOnceARing) {
  const auto p = plan("multi_ring", 24, {.ranks_per_node = 8});
  ASSERT_EQ(p->options.channels, 4u);
  std::set<Rank> entries;
  for (const auto& ring : p->options.rank_order) {
    int crossings = 0;
    for (std::uint32_t i = 0; i < 24; ++i)
      if (ring[i].value / 8 != ring[(i + 1) % 24].value / 8) ++crossings;
    EXPECT_EQ(crossings, 3);
    entries.insert(ring[0]);
  }
  EXPECT_EQ(entries.size(), 4u) << "each ring enters a node at another rank";
}

/// Bytes over a node's border are what hierarchical is for: S/G a rank and direction, twice.
TEST(AlgorithmOptions, HierarchicalSendsOneShareOverEachRail) {
  const auto p = plan("hierarchical", 32, {.ranks_per_node = 8});
  const auto schedule = build_schedule(*p);
  std::uint32_t across = 0;
  for (const Transfer& t : schedule->transfers()) {
    if (t.src().rank.value / 8 == t.dst().rank.value / 8) continue;
    EXPECT_EQ(t.src().rank.value % 8, t.dst().rank.value % 8) << "off its rail";
    across += t.chunks();
  }
  EXPECT_EQ(across, 32u * 2 * 3);  // chunks of S/32: each rank 2(k-1)/k S/G, k = 4 nodes
}

/// Agents own no data: they use nothing but scratch, and no rank uses any.
TEST(AlgorithmOptions, AgentsUseScratchOnly) {
  for (const auto name : {"nvls", "sharp"})
    for (const std::uint32_t agents : {1u, 4u}) {
      const auto p = plan(name, 8, {.agents = agents});
      const auto schedule = build_schedule(*p);
      ASSERT_TRUE(schedule);
      EXPECT_EQ(schedule->participants(), 8 + agents);
      for (const Transfer& t : schedule->transfers())
        for (const Slot& slot : {t.src(), t.dst()})
          EXPECT_EQ(slot.rank.value >= 8, slot.buffer == Buffer::scratch) << to_string(slot);
    }
}

/// What each slot holds at the end, as the sum is written: `(((0+1)+2)+3)`.
std::map<Slot, std::string> written_sums(const Schedule& schedule) {
  std::map<Slot, std::string> sums;
  const auto buffer = schedule.spec().in_place ? Buffer::output : Buffer::input;
  for (std::uint32_t r = 0; r < schedule.spec().ranks; ++r)
    sums[{{r}, buffer, {0}}] = std::to_string(r);
  for (std::uint32_t s = 0; s < schedule.steps(); ++s) {
    const auto before = sums;
    for (auto id = schedule.step_begin({s}).value; id < schedule.step_end({s}).value; ++id) {
      const Transfer& t = schedule[{id}];
      const auto source = before.at(t.src());
      if (t.action() == Action::copy)
        sums[t.dst()] = source;
      else
        sums[t.dst()] =
            "(" + (t.has_separate_operand() ? before : sums).at(t.with()) + "+" + source + ")";
    }
  }
  return sums;
}

/// All ranks must end with the same bits, so the order of additions must not depend on the rank.
TEST(AlgorithmOptions, OneShotAddsInTheSameOrderEverywhere) {
  for (const bool in_place : {false, true}) {
    const auto algorithm = find_algorithm(CollectiveKind::all_reduce, "direct_one_shot");
    const auto p = make_plan(**algorithm, {CollectiveKind::all_reduce, 5, {}, in_place}, {});
    const auto sums = written_sums(*build_schedule(*p));
    for (std::uint32_t r = 0; r < 5; ++r)
      EXPECT_EQ(sums.at({{r}, Buffer::output, {0}}), "((((0+1)+2)+3)+4)") << r;
  }
}

/// At each distance all ranks send to different ones.
TEST(AlgorithmOptions, OneShotNeverSendsTwoToOnePortOfASwitchAtOnce) {
  const auto algorithm = find_algorithm(CollectiveKind::all_reduce, "direct_one_shot");
  const auto p = make_plan(**algorithm, {CollectiveKind::all_reduce, 7}, {});
  const auto schedule = build_schedule(*p);
  for (std::uint32_t d = 0; d < 6; ++d) {
    std::set<std::uint32_t> from, to;
    for (std::uint32_t i = 0; i < 7; ++i) {
      from.insert((*schedule)[{7 * d + i}].src().rank.value);
      to.insert((*schedule)[{7 * d + i}].dst().rank.value);
    }
    EXPECT_EQ(from.size(), 7u);
    EXPECT_EQ(to.size(), 7u);
  }
}

}  // namespace
}  // namespace ringside
