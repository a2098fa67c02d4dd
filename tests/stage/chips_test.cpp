// Where chunks on their way are drawn: on their way, apart from each other, at any moment.

#include "viz/stage/chips.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace ringside::stage {
namespace {

constexpr Box region{100, 60, 720, 430};

struct Staged {
  stage::Run run;
  Scene scene;
};
Staged staged(const std::string& share) {
  const auto run = stage_run(scenario::parse_share_string(share)->scenario);
  if (!run) ADD_FAILURE() << share << ": " << run.error().message;
  return {*run, make_scene(**run, region, Model::Layout::automatic, 1.12)};
}

/// Many moments, none of them where steps begin or end.
std::vector<TimePoint> moments(const StagedRun& run) {
  std::vector<TimePoint> all;
  for (int i = 0; i < 97; ++i) all.push_back({run.time().picoseconds / 97 * i + 1});
  return all;
}

/// The share of one chip that the other covers, where neither is under a rank's box.
double cover(const Chip& a, const Chip& b, Point size) {
  constexpr double hidden = 0.16;
  for (const Chip* chip : {&a, &b})
    if (std::min(chip->progress, 1 - chip->progress) < hidden) return 0;
  const double x = 1 - std::abs(a.at.x - b.at.x) / size.x,
               y = 1 - std::abs(a.at.y - b.at.y) / size.y;
  return x > 0 && y > 0 ? x * y : 0;
}

struct Case {
  const char* share;
  ChipSize size;
};
class Chips : public testing::TestWithParam<Case> {};

TEST_P(Chips, HaveTheSizeThatKeepsThemApart) {
  const auto [run, scene] = staged(GetParam().share);
  EXPECT_EQ(scene.chip_size, GetParam().size) << GetParam().share;
  if (scene.chip_size != ChipSize::full && scene.chip_size != ChipSize::label) return;
  std::size_t crowded = 0;
  for (const TimePoint now : moments(*run)) {
    const auto chips = chips_at(*run, scene, now);
    double worst = 0;
    for (std::size_t a = 0; a < chips.size(); ++a) {
      EXPECT_TRUE(region.grown(1).contains(chips[a].at));
      for (std::size_t b = 0; b < a; ++b)
        worst = std::max(worst, cover(chips[a], chips[b], scene.chip));
    }
    crowded += worst > 0.15 ? 1 : 0;
  }
  EXPECT_LE(crowded, 6u);  // of 97: chips cross in a switch
}

INSTANTIATE_TEST_SUITE_P(
    Runs, Chips,
    testing::Values(
        Case{"ring?ranks=8", ChipSize::full}, Case{"bidirectional_ring?ranks=8", ChipSize::full},
        Case{"ring?system=dgx-a100", ChipSize::full}, Case{"ring?system=dgx1-v100", ChipSize::full},
        Case{"ring?system=mi300x", ChipSize::full}, Case{"ring?system=l40s-pcie", ChipSize::full},
        Case{"halving_doubling?ranks=8", ChipSize::full},
        Case{"recursive_doubling?system=hypercube&ranks=8", ChipSize::full},
        Case{"star?system=star&ranks=8", ChipSize::full},
        Case{"nvls?system=dgx-h100", ChipSize::full}, Case{"ring?ranks=16", ChipSize::label},
        Case{"direct?system=mesh&ranks=16", ChipSize::speck}, Case{"ring?ranks=64", ChipSize::dot},
        Case{"ring?ranks=256", ChipSize::speck}));

TEST(Chip, IsOnItsWayWhereNobodyIsInIt) {
  const auto [run, scene] = staged("ring?ranks=8");
  const TimePoint now{run->time().picoseconds * 27 / 100};
  const auto flights = run->timeline->under_way(now);
  const auto chips = chips_at(*run, scene, now);
  ASSERT_EQ(chips.size(), flights.size());
  for (std::size_t i = 0; i < chips.size(); ++i) {
    EXPECT_EQ(chips[i].id, flights[i].id);
    EXPECT_LT(length(chips[i].at - scene.at(flights[i].id, eased(flights[i].progress))), 0.5);
  }
}

/// From the first moment of a step to its last, which is where a lecturer stops.
TEST(Chip, IsSeenAsAWholeWhereStepsBeginAndEnd) {
  for (const char* share : {"ring?ranks=8", "ring?system=dgx-a100", "ring?system=l40s-pcie"}) {
    SCOPED_TRACE(share);
    const auto [run, scene] = staged(share);
    for (TimePoint t{0}; t < run->time(); t = run->timeline->after(t))
      for (const Chip& chip : chips_at(*run, scene, t)) {
        const auto box = Box::around(chip.at, 0.8 * scene.chip.x, 0.8 * scene.chip.y);
        for (const Box& rank : scene.ranks) EXPECT_FALSE(box.overlaps(rank)) << t.picoseconds;
      }
  }
}

TEST(Chip, IsAFunctionOfTimeAlone) {
  const auto [run, scene] = staged("halving_doubling?ranks=8");
  const TimePoint now{run->time().picoseconds / 3};
  const auto first = chips_at(*run, scene, now);
  chips_at(*run, scene, {0});
  const auto again = chips_at(*run, scene, now);
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].at, again[i].at);
}

/// From frame to frame nobody is pushed aside in a jump.
TEST(Chip, GivesWaySteadily) {
  for (const char* share : {"ring?ranks=8", "halving_doubling?ranks=8", "ring?system=l40s-pcie",
                            "star?system=star&ranks=8", "nvls?system=dgx-h100"}) {
    SCOPED_TRACE(share);
    const auto [run, scene] = staged(share);
    constexpr int frames = 1600;
    std::map<TransferId, Point> before;
    double longest = 0;
    for (int i = 0; i < frames; ++i) {
      std::map<TransferId, Point> aside;
      for (const Chip& chip : chips_at(*run, scene, {run->time().picoseconds / frames * i})) {
        aside[chip.id] = chip.at - scene.at(chip.id, chip.progress);
        if (const auto then = before.find(chip.id); then != before.end())
          longest = std::max(longest, length(aside[chip.id] - then->second));
      }
      before = std::move(aside);
    }
    EXPECT_LT(longest, 12);
  }
}

TEST(Chip, ThoseThatMeetPassOnTheRight) {
  const auto [run, scene] = staged("recursive_doubling?system=hypercube&ranks=8");
  // Any exchange: both are half way at the same time, side by side.
  const auto chips = chips_at(*run, scene, {run->time().picoseconds / 6});
  ASSERT_EQ(chips.size(), 8u);
  for (const Chip& chip : chips) {
    const Transfer& t = (*run->schedule)[chip.id];
    const Point from = scene.ranks[t.src().rank.value].centre(),
                to = scene.ranks[t.dst().rank.value].centre(), right = right_of(to - from);
    const Point off = chip.at - from;
    EXPECT_GT(off.x * right.x + off.y * right.y, 0);
  }
}

}  // namespace
}  // namespace ringside::stage
