// What the registry says about which ranks behave alike, checked on the stories.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <tuple>

#include "core/engine.hpp"

namespace ringside {
namespace {

using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
using RankMap = std::function<std::uint32_t(std::uint32_t)>;

/// (step, from, to, chunks) of all that crosses a wire, sorted, ranks mapped.
std::vector<Message> messages(const Schedule& schedule, const RankMap& map) {
  const auto mapped = [&](Rank rank) {
    return rank.value < schedule.spec().ranks ? map(rank.value) : rank.value;
  };
  std::vector<Message> all;
  for (std::uint32_t id = 0; id < schedule.transfers().size(); ++id) {
    const Transfer& t = schedule[{id}];
    if (t.is_local()) continue;
    all.emplace_back(schedule.step({id}).value, mapped(t.src().rank), mapped(t.dst().rank),
                     t.chunks());
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// The maps that the claim is about; none if it claims nothing for this plan.
std::vector<RankMap> maps(const Plan& plan) {
  const auto n = plan.spec.ranks;
  const auto rotated = [n](std::uint32_t by) {
    return [n, by](std::uint32_t r) { return (r + by) % n; };
  };
  switch (plan.algorithm->symmetry) {
    case Symmetry::none:
      return {};
    case Symmetry::rotation:
      return {rotated(1)};
    case Symmetry::group_rotation:
      return {rotated(plan.options.dims.empty() ? plan.options.ranks_per_node
                                                : plan.options.dims.back())};
    case Symmetry::exclusive_or:
      break;
  }
  std::vector<RankMap> flips;
  for (std::uint32_t bit = 1; std::has_single_bit(n) && bit < n; bit *= 2)
    flips.emplace_back([bit](std::uint32_t r) { return r ^ bit; });
  return flips;
}

TEST(Symmetry, CarriesTheMessagesOfEachStepToThemselves) {
  std::size_t checked = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (std::uint32_t n = 2; n <= 33; ++n) {
      const auto plan = make_plan(algorithm, {algorithm.collective, n}, {});
      if (!plan) continue;
      const auto schedule = build_schedule(*plan);
      ASSERT_TRUE(schedule) << schedule.error().message;
      const auto as_told = messages(*schedule, std::identity{});
      for (const RankMap& map : maps(*plan)) {
        ++checked;
        EXPECT_EQ(messages(*schedule, map), as_told)
            << name(algorithm.collective) << ' ' << algorithm.name << " on " << n << " ranks";
      }
    }
  EXPECT_GT(checked, 500u);
}

}  // namespace
}  // namespace ringside
