// What is said about many times is true of them.

#include "core/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside {
namespace {

std::vector<Duration> one_to(std::int64_t n) {
  std::vector<Duration> times;
  for (std::int64_t i = n; i > 0; --i) times.push_back(microseconds(i));
  return times;
}

TEST(Statistics, OfOneTimeAreThatTime) {
  const auto s = statistics_of(one_to(1));
  for (const Duration t : {s.median, s.min, s.max, s.mean, s.p99}) EXPECT_EQ(t, microseconds(1));
  EXPECT_EQ(s.iterations, 1u);
  EXPECT_EQ(s.cv, 0);
}

TEST(Statistics, TheMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(statistics_of(one_to(3)).median, microseconds(2));
  EXPECT_EQ(statistics_of(one_to(20)).median, nanoseconds(10'500));
  EXPECT_EQ(statistics_of(one_to(2)).median, nanoseconds(1'500));
  EXPECT_EQ(median(std::vector{4.0, 1.0, 9.0, 2.0}), 3.0);
  EXPECT_EQ(median(std::vector{-7.0}), -7.0);
  EXPECT_EQ(median(std::vector{30_GBps, 10_GBps}), 20_GBps);
  EXPECT_EQ(median(std::vector<Bandwidth>{{UINT64_MAX}, {UINT64_MAX}}), Bandwidth{UINT64_MAX});
}

TEST(Statistics, PercentilesAreByNearestRank) {
  const auto twenty = statistics_of(one_to(20));
  EXPECT_EQ(twenty.p99, microseconds(20)) << "99 % of 20 is more than 19";
  const auto many = statistics_of(one_to(200));
  EXPECT_EQ(many.p99, microseconds(198));
}

TEST(Statistics, OneSlowRunMovesTheMeanAndTheMaximumAlone) {
  auto times = one_to(101);
  const auto before = statistics_of(times);
  times.front() = microseconds(100'000);
  const auto after = statistics_of(times);
  EXPECT_EQ(after.median, before.median);
  EXPECT_EQ(after.min, before.min);
  EXPECT_EQ(after.p99, before.p99);
  EXPECT_EQ(after.max, microseconds(100'000));
  EXPECT_GT(after.cv, 5 * before.cv);
}

TEST(Statistics, SpreadIsTheSamplesStandardDeviationOverItsMean) {
  // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squared deviations 32.
  std::vector<Duration> times;
  for (const int us : {9, 2, 4, 5, 4, 7, 4, 5}) times.push_back(microseconds(us));
  EXPECT_DOUBLE_EQ(statistics_of(times).cv, std::sqrt(32.0 / 7) / 5);
  EXPECT_EQ(statistics_of(times).mean, microseconds(5));
}

}  // namespace
}  // namespace ringside
