// Every pair of values comes together, in far fewer combinations than all with all.

#include "viz/terminal/pairwise.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <tuple>

namespace ringside::terminal {
namespace {

using Levels = std::vector<std::uint32_t>;

std::size_t pairs_in(const std::vector<Levels>& all) {
  std::set<std::tuple<std::size_t, std::uint32_t, std::size_t, std::uint32_t>> met;
  for (const auto& one : all)
    for (std::size_t f = 0; f < one.size(); ++f)
      for (std::size_t g = f + 1; g < one.size(); ++g) met.insert({f, one[f], g, one[g]});
  return met.size();
}

TEST(Pairwise, HoldsEveryPair) {
  for (const Levels& levels :
       {Levels{12, 7, 6, 3, 3, 3}, {2, 2}, {1, 1, 5}, {3, 3, 3, 3}, {9, 1, 9}}) {
    std::size_t pairs = 0;
    for (std::size_t f = 0; f < levels.size(); ++f)
      for (std::size_t g = f + 1; g < levels.size(); ++g) pairs += levels[f] * levels[g];
    const auto all = pairwise(levels);
    for (const auto& one : all)
      for (std::size_t f = 0; f < one.size(); ++f) ASSERT_LT(one[f], levels[f]);
    EXPECT_EQ(pairs_in(all), pairs);
  }
}

TEST(Pairwise, IsSmall) {
  EXPECT_LE(pairwise(Levels{12, 7, 6, 3, 3, 3}).size(), 110u) << "84 at least, 13,608 in all";
  EXPECT_LE(pairwise(Levels{3, 3, 3, 3}).size(), 12u) << "9 at least, 81 in all";
  EXPECT_EQ(pairwise(Levels{4}).size(), 0u) << "one factor has no pairs";
}

TEST(Pairwise, IsTheSameEveryTime) {
  EXPECT_EQ(pairwise(Levels{5, 4, 3, 2}), pairwise(Levels{5, 4, 3, 2}));
}

}  // namespace
}  // namespace ringside::terminal
