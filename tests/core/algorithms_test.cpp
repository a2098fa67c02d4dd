// Every algorithm of the registry is right: proven for all N up to 33, every root that matters, in
// place and not, with one and with several chunks a block.

#include <gtest/gtest.h>

#include <set>

#include "core/engine.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t most_ranks = 33;

std::string label(const Plan& plan) {
  return std::string(name(plan.spec.kind)) + " " + std::string(plan.algorithm->name) + ", " +
         std::to_string(plan.spec.ranks) + " ranks, root " + std::to_string(plan.spec.root.value) +
         (plan.spec.in_place ? ", in place, " : ", ") + std::to_string(plan.options.chunks) +
         " chunks";
}

void expect_proven(const Plan& plan) {
  const auto schedule = build_schedule(plan);
  ASSERT_TRUE(schedule) << label(plan) << ": " << schedule.error().message;
  for (const Violation& violation : verify(*schedule, 3))
    ADD_FAILURE() << label(plan) << ": " << to_string(violation, *schedule);
}

/// The default, and twice and three times as many chunks where the algorithm takes them.
void prove(const Algorithm& algorithm, const CollectiveSpec& spec) {
  const auto plan = make_plan(algorithm, spec, {});
  if (!plan) return;  // refused: its own tests say when
  expect_proven(*plan);
  for (std::uint32_t times = 2; times <= 3; ++times) {
    Options options;
    options.chunks = times * plan->options.chunks;
    const auto more = make_plan(algorithm, spec, options);
    if (more) expect_proven(*more);
  }
}

std::set<std::uint32_t> roots(const Algorithm& algorithm, std::uint32_t n) {
  if (!has_root(algorithm.collective)) return {0};
  return {0, std::min(1u, n - 1), n / 2, n - 1};
}

class EveryAlgorithm : public testing::TestWithParam<const Algorithm*> {};

TEST_P(EveryAlgorithm, IsProvenForEveryNumberOfRanks) {
  const Algorithm& algorithm = *GetParam();
  for (std::uint32_t n = 1; n <= most_ranks; ++n)
    for (const std::uint32_t root : roots(algorithm, n))
      for (const bool in_place : {false, true}) {
        if (in_place && !may_be_in_place(algorithm.collective)) continue;
        prove(algorithm,
              {.kind = algorithm.collective, .ranks = n, .root = {root}, .in_place = in_place});
        if (HasFailure()) return;
      }
}

/// 0, 3, 1, 4, 2, ...: every second rank, from both halves.
std::vector<Rank> interleaved(std::uint32_t n) {
  std::vector<Rank> order;
  for (std::uint32_t i = 0; i < n; ++i) order.push_back({i % 2 == 0 ? i / 2 : (n + i) / 2});
  return order;
}

TEST_P(EveryAlgorithm, IsProvenForAnyRankOrderThatItFollows) {
  const Algorithm& algorithm = *GetParam();
  for (std::uint32_t n = 1; n <= 12; ++n)
    for (const std::uint32_t root : roots(algorithm, n)) {
      Options options;
      options.rank_order = {interleaved(n)};
      const auto plan = make_plan(algorithm, {algorithm.collective, n, {root}}, options);
      if (!plan || plan->options.rank_order.empty()) continue;
      expect_proven(*plan);

      std::set<std::pair<std::uint32_t, std::uint32_t>> neighbours;
      for (std::uint32_t p = 0; p < n; ++p) {
        const auto a = options.rank_order[0][p].value, b = options.rank_order[0][(p + 1) % n].value;
        neighbours.insert({a, b});
        neighbours.insert({b, a});
      }
      const auto schedule = build_schedule(*plan);
      for (const Transfer& t : schedule->transfers())
        ASSERT_TRUE(t.is_local() || neighbours.contains({t.src().rank.value, t.dst().rank.value}))
            << label(*plan) << " leaves the ring";
    }
}

TEST_P(EveryAlgorithm, IsProvenForAnyNodeSizeThatItKnows) {
  const Algorithm& algorithm = *GetParam();
  for (std::uint32_t n = 1; n <= 24; ++n)
    for (std::uint32_t node = 1; node <= n; ++node) {
      Options options;
      options.ranks_per_node = node;
      const auto plan = make_plan(algorithm, {algorithm.collective, n}, options);
      if (!plan || plan->options.ranks_per_node == 0) continue;
      expect_proven(*plan);
    }
}

std::vector<const Algorithm*> everyone() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : all_algorithms()) all.push_back(&algorithm);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryAlgorithm, testing::ValuesIn(everyone()),
                         [](const auto& test) {
                           return std::string(name(test.param->collective)) + "_" +
                                  std::string(test.param->name);
                         });

}  // namespace
}  // namespace ringside
