// Curves are what `simulate --algorithm all` prints, and cross where judge() says.

#include "viz/stage/curves.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>
#include <sstream>
#include <thread>

#include "viz/scenario/contest.hpp"

namespace ringside::stage {
namespace {

scenario::Scenario scenario_of(std::string_view share) {
  return scenario::parse_share_string(share)->scenario;
}

Curves plotted(const scenario::Scenario& scenario) {
  Curves last;
  const auto done = plot(scenario, [&](const Curves& curves) {
    if (!curves.by_size.empty()) last = curves;
    return true;
  });
  EXPECT_TRUE(done);
  return last;
}

/// Rows of all algorithms at one size, run on their own.
std::vector<Row> rows_at(scenario::Scenario scenario, Bytes size) {
  scenario.collective.algorithm = "all";
  const auto request = *read(scenario.collective);
  const auto machine = *read(scenario.system);
  auto contest = *scenario::Contest::enter(request, machine);
  std::vector<Row> rows;
  EXPECT_TRUE(contest.run(size, [&](scenario::Contest::Run& run) -> Result<void> {
    rows.push_back(run.row);
    return {};
  }));
  return rows;
}

TEST(Curves, AreTheRowsOfSimulateToThePicosecond) {
  for (const char* share :
       {"ring", "ring?system=dgx-h100", "ring?collective=broadcast&system=star"}) {
    const auto scenario = scenario_of(share);
    const Curves curves = plotted(scenario);
    EXPECT_TRUE(curves.is_complete);
    std::size_t compared = 0;
    for (const Bytes size : {Bytes{1 << 10}, Bytes{1 << 20}, Bytes{1 << 30}})
      for (const Row& row : rows_at(scenario, size))
        for (const Curve& curve : curves.by_size)
          for (const auto& point : curve.points)
            if (curve.algorithm == row.algorithm && point.x == static_cast<double>(size.count)) {
              EXPECT_EQ(point.time, *row.time) << share << " " << row.algorithm;
              EXPECT_EQ(point.busbw, row.busbw());
              ++compared;
            }
    EXPECT_GE(compared, 3 * curves.by_size.size());
  }
}

TEST(Curves, CrossWhereTheWinnerChanges) {
  const auto scenario = scenario_of("ring?system=dgx-h100");
  const Curves curves = plotted(scenario);
  ASSERT_FALSE(curves.crossovers.empty());
  std::size_t changes = 0;
  std::string before;
  for (Bytes size{1 << 10}; size.count <= 1ull << 32; size.count *= 4) {
    auto rows = rows_at(scenario, size);
    scenario::judge(rows);
    const auto winner = std::ranges::find_if(rows, [](const Row& row) { return row.fastest; });
    ASSERT_NE(winner, rows.end());
    if (!before.empty() && winner->algorithm != before) {
      ASSERT_LT(changes, curves.crossovers.size());
      const Crossover& crossover = curves.crossovers[changes++];
      EXPECT_EQ(crossover.before, before);
      EXPECT_EQ(crossover.after, winner->algorithm);
      EXPECT_GE(crossover.x, static_cast<double>(size.count) / 4);
      EXPECT_LE(crossover.x, static_cast<double>(size.count));
    }
    before = winner->algorithm;
  }
  EXPECT_EQ(changes, curves.crossovers.size());
}

TEST(Curves, AgainstRanksAreOfShapesOnly) {
  EXPECT_TRUE(plotted(scenario_of("ring?system=dgx-a100")).by_ranks.empty());
  const Curves curves = plotted(scenario_of("ring?bytes=1M"));
  const auto ring = std::ranges::find(curves.by_ranks, "ring", &Curve::algorithm);
  ASSERT_NE(ring, curves.by_ranks.end());
  for (const auto& point : ring->points)  // 2 (N-1) (1 us + S / (N 25 GB/s))
    EXPECT_NEAR(point.time.microseconds(), 2 * (point.x - 1) * (1 + 1048576 / point.x / 25e3),
                1e-3);
}

TEST(Curves, StopWhenNobodyWantsThem) {
  int asked = 0;
  EXPECT_TRUE(plot(scenario_of("ring"), [&](const Curves&) { return ++asked < 3; }));
  EXPECT_EQ(asked, 3);
}

/// The algorithms that a note of the form `a, b not run from X on: why` names.
std::set<std::string> given_up(const std::vector<std::string>& notes) {
  std::set<std::string> names;
  for (const std::string& note : notes) {
    const auto end = note.find(" not run from ");
    if (end == std::string::npos) continue;
    std::istringstream text(note.substr(0, end));
    for (std::string name; std::getline(text >> std::ws, name, ',');) names.insert(name);
  }
  return names;
}

TEST(Curves, EndWhereMoreIsTooMuchToSimulate) {
  const auto scenario = scenario_of("ring?system=dgx-a100");
  Curves some;
  const auto take = [&](const Curves& curves) {
    if (!curves.by_size.empty()) some = curves;
    return true;
  };
  ASSERT_TRUE(plot(scenario, take, {}, 1000));
  EXPECT_TRUE(some.is_complete);
  std::set<std::string> shorter;
  for (const Curve& curve : plotted(scenario).by_size) {
    const auto same = std::ranges::find(some.by_size, curve.algorithm, &Curve::algorithm);
    const std::size_t points = same == some.by_size.end() ? 0 : same->points.size();
    ASSERT_LE(points, curve.points.size());
    if (points < curve.points.size()) shorter.insert(curve.algorithm);
    for (std::size_t i = 0; i < points; ++i) EXPECT_EQ(same->points[i].time, curve.points[i].time);
  }
  EXPECT_GE(shorter.size(), 1u);
  EXPECT_LT(shorter.size(), some.by_size.size());
  EXPECT_EQ(given_up(some.notes), shorter);
}

TEST(Curves, BySizeAreTakenOverWhereOnlyTheSizeIsNew) {
  const auto first = scenario_of("flat?collective=broadcast&ranks=4&bytes=1M"),
             second = scenario_of("flat?collective=broadcast&ranks=4&bytes=64M");
  EXPECT_EQ(by_size_key(first), by_size_key(second));
  EXPECT_NE(curves_key(first), curves_key(second));
  Curves known = plotted(first), reused;
  known.by_size[0].points[0].time = microseconds(7);  // a mark
  const auto take = [&](const Curves& curves) { return reused = curves, true; };
  ASSERT_TRUE(plot(second, take, known));
  EXPECT_EQ(reused.by_size[0].points[0].time, microseconds(7));
  const Curves fresh = plotted(second);
  ASSERT_EQ(reused.by_ranks.size(), fresh.by_ranks.size());
  for (std::size_t i = 0; i < fresh.by_ranks.size(); ++i)
    EXPECT_EQ(reused.by_ranks[i].points.back().time, fresh.by_ranks[i].points.back().time);
}

TEST(Curves, DoNotDependOnWhatPlays) {
  EXPECT_EQ(curves_key(scenario_of("ring?mistake=doubled_add")), curves_key(scenario_of("star")));
  EXPECT_NE(curves_key(scenario_of("ring?ranks=8&bandwidth=12GB/s")),
            curves_key(scenario_of("ring")));
}

TEST(Curves, AsATableHaveALineAPoint) {
  const Curves curves = plotted(scenario_of("ring?ranks=4"));
  std::size_t points = 0;
  for (const Curve& curve : curves.by_size) points += curve.points.size();
  std::istringstream text(to_csv(curves));
  std::string line;
  std::size_t lines = 0;
  while (std::getline(text, line)) {
    EXPECT_EQ(std::ranges::count(line, ','), 3) << line;
    ++lines;
  }
  EXPECT_EQ(lines, points + 1);
}

TEST(Plotter, OldCurvesStayUntilThereAreNewOnes) {
  Plotter plotter;
  plotter.request(scenario_of("ring?system=dgx-a100"));
  plotter.wait();
  const auto before = plotter.latest();
  plotter.request(scenario_of("ring?system=dgx-a100&set=nvlink.latency%3D9us"));
  for (;;) {
    const auto latest = plotter.latest();
    if (latest->is_complete && latest != before) break;
    ASSERT_EQ(latest->by_size.size(), before->by_size.size());
    for (std::size_t i = 0; i < latest->by_size.size(); ++i)
      ASSERT_EQ(latest->by_size[i].points.size(), before->by_size[i].points.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  plotter.request(scenario_of("binomial?collective=broadcast&system=dgx-a100"));
  plotter.wait();
  const auto& names = plotter.latest()->by_size;
  EXPECT_NE(std::ranges::find(names, "binomial", &Curve::algorithm), names.end());
  EXPECT_EQ(std::ranges::find(names, "ring", &Curve::algorithm), names.end());
}

TEST(Plotter, TheLatestRequestCounts) {
  Plotter plotter;
  for (const char* share : {"ring?ranks=32", "ring?ranks=16", "ring?ranks=4"})
    plotter.request(scenario_of(share));
  plotter.wait();
  const auto latest = plotter.latest();
  ASSERT_TRUE(latest && latest->is_complete);
  const auto wanted = plotted(scenario_of("ring?ranks=4"));
  ASSERT_EQ(latest->by_size.size(), wanted.by_size.size());
  EXPECT_EQ(latest->by_size[0].points.back().time, wanted.by_size[0].points.back().time);
  plotter.request(scenario_of("star?ranks=4"));  // the same curves
  EXPECT_EQ(plotter.latest(), latest);
}

}  // namespace
}  // namespace ringside::stage
