#include "core/variants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ringside {
namespace {

TEST(Variants, RootsAreRanksEachOnce) {
  for (std::size_t k = 0; k < collective_count; ++k)
    for (std::uint32_t n = 1; n <= 33; ++n) {
      const auto kind = static_cast<CollectiveKind>(k);
      const auto roots = roots_that_matter(kind, n);
      ASSERT_FALSE(roots.empty());
      EXPECT_EQ(std::set<Rank>(roots.begin(), roots.end()).size(), roots.size());
      EXPECT_EQ(roots.front(), Rank{0});
      EXPECT_LT(roots.back().value, n);
      EXPECT_EQ(roots.back().value, has_root(kind) ? n - 1 : 0) << "the last rank is a root too";
    }
}

TEST(Variants, SpecsAreAllPossible) {
  for (std::size_t k = 0; k < collective_count; ++k)
    for (std::uint32_t n = 1; n <= 9; ++n) {
      const auto kind = static_cast<CollectiveKind>(k);
      const auto specs = specs_that_matter(kind, n);
      std::size_t in_place = 0;
      for (const auto& spec : specs) {
        EXPECT_TRUE(check(spec)) << name(kind) << " on " << n;
        in_place += spec.in_place;
      }
      EXPECT_EQ(in_place * 2, may_be_in_place(kind) ? specs.size() : 0);
    }
}

TEST(Variants, EveryAlgorithmHasPlansWithoutRepeats) {
  for (const Algorithm& algorithm : all_algorithms()) {
    std::size_t plans = 0;
    for (std::uint32_t n = 1; n <= 8; ++n)
      for (const auto& spec : specs_that_matter(algorithm.collective, n)) {
        const auto found = plans_that_matter(algorithm, spec);
        plans += found.size();
        for (std::size_t i = 0; i < found.size(); ++i)
          for (std::size_t j = 0; j < i; ++j)
            ASSERT_FALSE(found[i].options == found[j].options) << algorithm.name << " on " << n;
        const auto plain = make_plan(algorithm, spec, {});
        const bool served = std::any_of(found.begin(), found.end(), [&](const Plan& plan) {
          return plain && plan.options == plain->options;
        });
        EXPECT_EQ(served, plain.has_value()) << algorithm.name << " on " << n;
      }
    EXPECT_GT(plans, 0u) << algorithm.name;
  }
}

}  // namespace
}  // namespace ringside
