#include "sim/workload/lanes.hpp"

#include <gmock/gmock.h>

namespace ringside::sim {
namespace {

constexpr std::uint32_t all_of_it = 1u << 16;

TEST(Lanes, OneLaneGoesInOrderAndDependenciesHold) {
  Lanes lanes(2, 0);
  const auto a = lanes.add({.lane = 0, .work = 4_us});
  const auto b = lanes.add({.lane = 1, .work = 1_us}, {a});
  lanes.add({.lane = 0, .work = 2_us});
  const auto d = lanes.add({.lane = 0, .work = 1_us}, {b});
  const auto when = lanes.run();
  EXPECT_EQ(when[b.value].begin, 4_us);
  EXPECT_EQ(when[2].begin, 4_us);
  EXPECT_EQ(when[d.value].begin, 6_us);
  EXPECT_EQ(when[d.value].end, 7_us);
}

TEST(Lanes, NothingTakesNoTime) {
  Lanes lanes(1, 0);
  EXPECT_TRUE(lanes.run().empty());
  const auto a = lanes.add({});
  const auto b = lanes.add({}, {a});
  const auto when = lanes.run();
  EXPECT_EQ(when[b.value].end, Duration{});
}

// Two that each want the whole wire: the second half of the longer one runs alone again.
TEST(Lanes, WhoShareAWireGoAtHalfSpeed) {
  Lanes lanes(2, 1);
  const auto whole = lanes.add_load({{0, all_of_it}});
  lanes.add({.lane = 0, .work = 10_us, .load = whole});
  lanes.add({.lane = 1, .work = 4_us, .load = whole});
  const auto when = lanes.run();
  EXPECT_EQ(when[1].end, 8_us);
  EXPECT_EQ(when[0].end, 14_us);
}

TEST(Lanes, ClaimsThatFitTogetherSlowNobody) {
  Lanes lanes(2, 1);
  const auto half = lanes.add_load({{0, all_of_it / 2}});
  lanes.add({.lane = 0, .work = 10_us, .load = half});
  lanes.add({.lane = 1, .work = 7_us, .load = half});
  const auto when = lanes.run();
  EXPECT_EQ(when[0].end, 10_us);
  EXPECT_EQ(when[1].end, 7_us);
}

TEST(Lanes, TheMostCrowdedResourceCounts) {
  Lanes lanes(3, 2);
  const auto both = lanes.add_load({{0, all_of_it / 2}, {1, all_of_it}});
  const auto first = lanes.add_load({{0, all_of_it / 2}});
  const auto second = lanes.add_load({{1, all_of_it}});
  lanes.add({.lane = 0, .work = 6_us, .load = both});
  lanes.add({.lane = 1, .work = 6_us, .load = first});
  lanes.add({.lane = 2, .work = 3_us, .load = second});
  const auto when = lanes.run();
  EXPECT_EQ(when[1].end, 6_us);
  EXPECT_EQ(when[2].end, 6_us);
  EXPECT_EQ(when[0].end, 9_us);
}

// Whatever comes and goes, no work is lost or done twice: a crowded wire works all the time.
TEST(Lanes, ACrowdedWireIsNeverIdle) {
  Lanes lanes(8, 1);
  const auto whole = lanes.add_load({{0, all_of_it}});
  Duration sum{};
  for (std::uint32_t i = 0; i < 64; ++i) {
    const Duration work{1'000'003 * (1 + (i * 37) % 11)};
    lanes.add({.lane = i % 8, .work = work, .load = whole});
    sum += work;
  }
  Duration last{};
  for (const auto& i : lanes.run()) last = std::max(last, i.end);
  EXPECT_GE(last, sum);
  EXPECT_LT(last.seconds(), sum.seconds() * 1.0005);  // speeds are whole parts of 2^16
}

}  // namespace
}  // namespace ringside::sim
