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
