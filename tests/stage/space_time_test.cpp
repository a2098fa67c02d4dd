// The space-time diagram's arithmetic.

#include "viz/stage/space_time.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace ringside::stage {
namespace {

TEST(TimeAxis, IsExactBothWays) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t from = static_cast<std::int64_t>(random() % 1'000'000'000'000);
    const std::int64_t length = 1000 + static_cast<std::int64_t>(random() % 1'000'000'000'000);
    const TimeAxis axis{{{from}, {from + length}}, 72, 1272};
    EXPECT_EQ(axis.at(72), TimePoint{from});
    EXPECT_EQ(axis.at(1272), TimePoint{from + length});
    EXPECT_EQ(axis.at(-5), TimePoint{from});
    const double x = 72 + static_cast<double>(random() % 1200);
    EXPECT_NEAR(axis.x(axis.at(x)), x, 1.0);
  }
}

TEST(RoundMoments, AreOneTwoFiveAndFarEnoughApart) {
  for (const std::int64_t length : {7l, 1000l, 123'456'789l, 18'805'000'000l}) {
    const TimeAxis axis{{{0}, {length}}, 0, 1200};
    const auto moments = round_moments(axis, 100);
    ASSERT_GE(moments.size(), 2u) << length;
    std::int64_t pitch = (moments[1] - moments[0]).picoseconds;
    for (std::size_t i = 1; i < moments.size(); ++i)
      EXPECT_EQ((moments[i] - moments[i - 1]).picoseconds, pitch);
    EXPECT_GE(axis.x(moments[1]) - axis.x(moments[0]), 100 - 1e-6);
    EXPECT_LE(axis.x(moments[1]) - axis.x(moments[0]), 251);
    while (pitch % 10 == 0) pitch /= 10;
    EXPECT_TRUE(pitch == 1 || pitch == 2 || pitch == 5) << pitch;
  }
}

stage::Run run_of(std::string_view share) {
  return *stage_run(scenario::parse_share_string(share)->scenario);
}

TEST(SpaceTime, ShowsEveryTransferOnceInItsSendersRow) {
  for (const char* share : {"ring", "star?system=star", "direct?system=mesh", "bidirectional_ring",
                            "ring?system=dgx-h100&nodes=2", "nvls?system=dgx-h100"}) {
    const stage::Run run = run_of(share);
    const SpaceTime bars(*run);
    std::set<std::uint32_t> seen;
    for (std::uint32_t r = 0; r < bars.rows(); ++r)
      for (const Bar& bar : bars.row(r)) {
        EXPECT_TRUE(seen.insert(bar.id.value).second);
        EXPECT_EQ((*run->schedule)[bar.id].src().rank.value, r);
        EXPECT_LT(bar.lane, bars.lanes());
        EXPECT_EQ(bars.find(bar.id), &bar);
      }
    for (TransferId id{0}; id.value < run->schedule->transfers().size(); ++id.value)
      EXPECT_EQ(seen.contains(id.value), !(*run->schedule)[id].is_local()) << share;
  }
}

TEST(SpaceTime, BarsOfOneLaneDoNotOverlap) {
  for (const char* share :
       {"ring", "direct?system=mesh", "bidirectional_ring", "binomial_tree?system=star"}) {
    const stage::Run run = run_of(share);
    const SpaceTime bars(*run);
    for (std::uint32_t r = 0; r < bars.rows(); ++r) {
      std::map<std::uint32_t, TimePoint> busy;
      for (const Bar& bar : bars.row(r)) {
        const auto until = busy.find(bar.lane);
        if (until != busy.end()) {
          EXPECT_LE(until->second, bar.begin) << share;
        }
        busy[bar.lane] = bar.read;
      }
    }
  }
}

TEST(SpaceTime, APointInABarHitsIt) {
  const stage::Run run = run_of("direct?system=mesh");
  const SpaceTime bars(*run);
  for (std::uint32_t r = 0; r < bars.rows(); ++r)
    for (const Bar& bar : bars.row(r)) {
      const TimePoint middle{(bar.begin.picoseconds + bar.read.picoseconds) / 2};
      EXPECT_EQ(bars.hit(r, bar.lane, middle), bar.id);
    }
  EXPECT_FALSE(bars.hit(0, 0, run->time() + microseconds(1)));
  EXPECT_FALSE(bars.hit(99, 0, TimePoint{}));
}

}  // namespace
}  // namespace ringside::stage
