// Clocks of several processes, set beside each other.

#include "gpu/nccl/common_time.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ringside::nccl {
namespace {

/// Exchanges of two processes whose clocks are `apart`: what either says is on its way for a while.
std::pair<std::vector<Exchange>, std::vector<Exchange>> exchanges(Duration apart,
                                                                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Exchange> first, mine;
  Duration now = microseconds(100);
  for (int i = 0; i < 20; ++i) {
    const auto later = [&] {
      return now + nanoseconds(static_cast<std::int64_t>(random() % 9000));
    };
    const Duration said_first = later(), said_mine = later();
    now = std::max(said_first, said_mine);
    first.push_back({said_first, later()});
    mine.push_back({said_mine - apart, later() - apart});
    now += microseconds(50);
  }
  return {first, mine};
}

TEST(CommonTime, TheOffsetIsWithinItsError) {
  for (const auto apart : {nanoseconds(-70'000'000), nanoseconds(0), nanoseconds(123'456'789)})
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const auto [first, mine] = exchanges(apart, seed);
      const auto found = offset_between(first, mine);
      EXPECT_LE(found.offset - apart, found.error) << seed;
      EXPECT_LE(apart - found.offset, found.error) << seed;
      EXPECT_LT(found.error, microseconds(9)) << "no better than one exchange";
      EXPECT_GE(found.error, Duration{});
    }
}

TEST(CommonTime, MoreExchangesAreNoWorse) {
  const auto [first, mine] = exchanges(microseconds(77), 1);
  Duration before = forever;
  for (std::size_t n = 1; n <= first.size(); ++n) {
    const auto found =
        offset_between(std::span(first).subspan(0, n), std::span(mine).subspan(0, n));
    EXPECT_LE(found.error, before);
    before = found.error;
  }
}

TEST(CommonTime, ReportsCountFromTheEarliestBeginning) {
  const auto us = [](std::int64_t n) { return microseconds(n); };
  std::vector<std::string> told;
  const Share collect = [&](std::string_view words) -> Result<std::vector<std::string>> {
    told.emplace_back(words);
    return told;
  };
  ASSERT_TRUE(report_to_all({us(1007), us(1), {us(0), us(5)}}, collect));
  ASSERT_TRUE(report_to_all({us(1000), us(3), {us(2)}}, collect));
  const auto all = report_to_all({us(1001), us(2), {}}, collect).value();
  ASSERT_EQ(all.moments.size(), 3u);
  EXPECT_EQ(all.moments[0], (std::vector{us(7), us(12)}));
  EXPECT_EQ(all.moments[1], (std::vector{us(2)}));
  EXPECT_TRUE(all.moments[2].empty());
  EXPECT_EQ(all.error, us(5)) << "of the two worst";
}

}  // namespace
}  // namespace ringside::nccl
