// Symbolic values against the plainest multiset there is.

#include "core/contributions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace ringside {
namespace {

using Plain = std::map<std::pair<std::uint32_t, std::uint32_t>, int>;  // (rank, chunk), how often

Plain sum(Plain a, const Plain& b) {
  for (const auto& [part, times] : b) a[part] = std::min(2, a[part] + times);  // 2: or more
  return a;
}

void expect_equal(const Contributions& value, const Plain& plain, std::uint32_t ranks) {
  ASSERT_EQ(value.empty(), plain.empty());
  if (value.is_cut_short()) return;
  const auto parts = value.list(ranks);
  ASSERT_EQ(parts.size(), plain.size());
  auto expected = plain.begin();
  for (const Contribution& part : parts) {
    ASSERT_EQ(part.rank.value, expected->first.first);
    ASSERT_EQ(part.chunk.value, expected->first.second);
    ASSERT_EQ(part.repeated, expected->second > 1);
    ++expected;
  }
}

bool is_exactly(const Plain& plain, std::uint32_t chunk, std::uint32_t first, std::uint32_t count) {
  if (plain.size() != count) return false;
  for (std::uint32_t r = first; r < first + count; ++r)
    if (const auto at = plain.find({r, chunk}); at == plain.end() || at->second != 1) return false;
  return true;
}

TEST(Contributions, AddUpAsMultisetsDo) {
  std::mt19937 random(1);
  for (const std::uint32_t ranks : {1u, 2u, 3u, 7u, 8u, 63u, 64u, 65u, 130u})
    for (const std::uint32_t chunks : {1u, 2u}) {
      std::vector<std::pair<Contributions, Plain>> values;
      for (std::uint32_t r = 0; r < ranks; ++r)
        for (std::uint32_t c = 0; c < chunks; ++c)
          values.push_back({Contributions::one({r}, {c}), {{{r, c}, 1}}});
      for (int turn = 0; turn < 400; ++turn) {
        // Mostly neighbours, as in a ring; sometimes anyone, as nowhere.
        const auto a = random() % values.size();
        const auto b = random() % 4 == 0 ? random() % values.size() : (a + chunks) % values.size();
        values[a] = {Contributions::sum(values[a].first, values[b].first, ranks),
                     sum(values[a].second, values[b].second)};
        const auto& [value, plain] = values[a];
        ASSERT_NO_FATAL_FAILURE(expect_equal(value, plain, ranks));
        for (std::uint32_t c = 0; c < chunks; ++c) {
          EXPECT_EQ(value.is_exactly({c}, {0}, ranks), is_exactly(plain, c, 0, ranks));
          const auto first = static_cast<std::uint32_t>(random() % ranks);
          EXPECT_EQ(value.is_exactly({c}, {first}, 1), is_exactly(plain, c, first, 1));
        }
      }
    }
}

TEST(Contributions, OfAWholeRingAreEveryRankOnceWhereverItStarts) {
  for (const std::uint32_t ranks : {2u, 5u, 100u})
    for (std::uint32_t start = 0; start < ranks; ++start) {
      auto value = Contributions::one({start}, {3});
      for (std::uint32_t i = 1; i < ranks; ++i)
        value = Contributions::sum(Contributions::one({(start + i) % ranks}, {3}), value, ranks);
      EXPECT_TRUE(value.is_exactly({3}, {0}, ranks));
      EXPECT_FALSE(value.is_exactly({2}, {0}, ranks));
    }
}

TEST(Contributions, MixedPartsAreCutShortAndSaySo) {
  auto value = Contributions::one({0}, {0});
  for (std::uint32_t c = 1; c < 100; ++c)
    value = Contributions::sum(value, Contributions::one({0}, {c}), 1);
  EXPECT_TRUE(value.is_cut_short());
  EXPECT_EQ(value.list(1).size(), Contributions::max_mixed);
}

}  // namespace
}  // namespace ringside
