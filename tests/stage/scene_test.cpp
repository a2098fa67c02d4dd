// Where things stand on the stage: inside their region, clear of each other, for every machine.

#include "viz/stage/scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/shapes.hpp"
#include "sim/systems.hpp"

namespace ringside::stage {
namespace {

constexpr Box region{100, 60, 720, 430};

stage::Run run_of(const std::string& share) {
  const auto run = stage_run(scenario::parse_share_string(share)->scenario);
  if (!run) ADD_FAILURE() << share << ": " << run.error().message;
  return run ? *run : nullptr;
}

/// Every preset, shapes of many sizes, clusters.
std::vector<std::string> shares() {
  std::vector<std::string> all;
  for (const auto& system : sim::system_texts())
    all.push_back("ring?system=" + std::string(system.name));
  for (const auto shape : sim::shape_names())
    for (const int ranks : {2, 4, 8, 16, 64})
      all.push_back("ring?system=" + std::string(shape) + "&ranks=" + std::to_string(ranks));
  for (const int nodes : {2, 3, 4, 9, 32}) {
    all.push_back("ring?system=dgx-h100&nodes=" + std::to_string(nodes));
    all.push_back("hierarchical?system=dgx-a100&nodes=" + std::to_string(nodes));
  }
  all.push_back("ring?system=gb200-nvl72&nodes=18");
  all.push_back("ring?ranks=256");
  all.push_back("nvls?system=dgx-h100");
  all.push_back("direct?system=mesh&ranks=16");
  all.push_back("halving_doubling?system=hypercube&ranks=32");
  return all;
}

bool is_inside(const Box& box, const Box& outer) {
  constexpr double hair = 0.5;
  return box.x >= outer.x - hair && box.y >= outer.y - hair &&
         box.right() <= outer.right() + hair && box.bottom() <= outer.bottom() + hair;
}

void expect_sound(const StagedRun& run, const Scene& scene) {
  ASSERT_EQ(scene.ranks.size(), run.schedule->participants());
  for (const Box& box : scene.ranks) {
    EXPECT_FALSE(box.is_empty());
    EXPECT_TRUE(is_inside(box, region));
  }
  for (std::size_t a = 0; a < scene.devices.size(); ++a) {
    if (scene.devices[a].is_empty()) continue;
    EXPECT_TRUE(is_inside(scene.devices[a], region)) << run.topology->devices[a].name;
    for (std::size_t b = a + 1; b < scene.devices.size(); ++b)
      EXPECT_FALSE(scene.devices[b].overlaps(scene.devices[a]))
          << run.topology->devices[a].name << " covers " << run.topology->devices[b].name;
    if (testing::Test::HasFailure()) return;
  }
}

void expect_ways(const StagedRun& run, const Scene& scene) {
  for (TransferId id{0}; id.value < run.schedule->transfers().size(); ++id.value) {
    const Transfer& t = (*run.schedule)[id];
    if (t.is_local()) {
      EXPECT_EQ(scene.way_of[id.value], UINT32_MAX);
      continue;
    }
    // It starts beside its source and ends beside its target, as it rides beside the wire.
    const double air = scene.chip.x + 8;
    const Box from = scene.ranks[t.src().rank.value].grown(air),
              to = scene.ranks[t.dst().rank.value].grown(air);
    ASSERT_TRUE(from.contains(scene.at(id, 0))) << id.value;
    ASSERT_TRUE(to.contains(scene.at(id, 1))) << id.value;
    ASSERT_TRUE(is_inside(Box::around(scene.at(id, 0.5), 0, 0), region.grown(40)));
  }
}

class Scenes : public testing::TestWithParam<Model::Layout> {};

TEST_P(Scenes, KeepEverythingApartAndInside) {
  for (const auto& share : shares()) {
    SCOPED_TRACE(share);
    const stage::Run run = run_of(share);
    ASSERT_NE(run, nullptr);
    for (const double unit : {0.75, 1.0}) {
      const Scene scene = make_scene(*run, region, GetParam(), unit);
      expect_sound(*run, scene);
      expect_ways(*run, scene);
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, Scenes,
                         testing::Values(Model::Layout::automatic, Model::Layout::ring,
                                         Model::Layout::machine),
                         [](const auto& layout) {
                           return std::string(layout.param == Model::Layout::automatic ? "automatic"
                                              : layout.param == Model::Layout::ring    ? "ring"
                                                                                       : "machine");
                         });

/// Names of what stands in a node of a machine, by height.
double height_of(const stage::Run& run, const Scene& scene, const std::string& name) {
  return scene.devices[sim::find_device(*run->topology, name)->value].centre().y;
}

TEST(Scene, MachinesStandAsTheyAreBuilt) {
  const stage::Run run = run_of("ring?system=dgx-h100");
  const Scene scene = make_scene(*run, region, Model::Layout::machine, 1);
  const char* const down[] = {"nvsw0", "gpu0", "pcie0", "cpu0", "nic0"};
  for (std::size_t i = 1; i < std::size(down); ++i)
    EXPECT_LT(height_of(run, scene, down[i - 1]), height_of(run, scene, down[i])) << down[i];
}

TEST(Scene, NodesFaceTheNetworkBetweenThem) {
  const stage::Run run = run_of("ring?system=dgx-h100&nodes=4");
  const Scene scene = make_scene(*run, region, Model::Layout::automatic, 1);
  ASSERT_EQ(scene.frames.size(), 4u);
  const double network = height_of(run, scene, "leaf0");
  EXPECT_LT(height_of(run, scene, "node0.gpu0"), height_of(run, scene, "node0.nic0"));
  EXPECT_LT(height_of(run, scene, "node0.nic0"), network);
  EXPECT_GT(height_of(run, scene, "node2.nic0"), network);
  EXPECT_GT(height_of(run, scene, "node2.gpu0"), height_of(run, scene, "node2.nic0"));
  for (std::uint32_t d = 0; d < scene.devices.size(); ++d) {
    if (scene.devices[d].is_empty() ||
        run->topology->devices[d].kind == sim::DeviceKind::network_switch)
      continue;
    EXPECT_TRUE(is_inside(scene.devices[d], scene.frames[run->topology->devices[d].node]))
        << run->topology->devices[d].name;
  }
}

TEST(Scene, RowsOfASmallNodeKeepRoomForTheirWords) {
  constexpr double unit = 0.84, line = 20 * unit;
  const stage::Run run = run_of("ring?system=dgx-h100&nodes=4");
  const Scene scene = make_scene(*run, {0, 0, 690, 400}, Model::Layout::automatic, unit);
  for (const char* name : {"node0.nvsw0", "node0.gpu0", "node0.pcie0", "node0.nic0", "leaf0"})
    EXPECT_GE(scene.devices[sim::find_device(*run->topology, name)->value].height, line) << name;
}

TEST(Scene, GpusOfANodeStandInOneLineUnlessALineIsTooShort) {
  const stage::Run run = run_of("ring?system=dgx-h100&nodes=2");
  const auto lines = [&](const Box& area) {
    const Scene scene = make_scene(*run, area, Model::Layout::automatic, 1);
    std::set<double> tops;
    for (const Box& rank : scene.ranks) tops.insert(rank.y);
    return tops.size();
  };
  EXPECT_EQ(lines({0, 0, 690, 400}), 1u);
  EXPECT_EQ(lines({0, 0, 400, 700}), 2u);
}

TEST(Scene, AChunkBetweenNeighboursTouchesNoRank) {
  for (const std::uint32_t ranks : {4u, 6u, 8u}) {
    const stage::Run run = run_of("ring?ranks=" + std::to_string(ranks));
    const Scene scene = make_scene(*run, region, Model::Layout::automatic, 1);
    for (const Way& way : scene.ways) {
      const Box chip = Box::around(way.at(0.5), scene.chip.x, scene.chip.y);
      for (const Box& rank : scene.ranks) EXPECT_FALSE(chip.overlaps(rank)) << ranks;
    }
  }
}

TEST(Scene, WhereWaysAreShortChunksAreDotsAndRanksKeepTheirNames) {
  const stage::Run run = run_of("ring?ranks=8");
  const double unit = 1.68;  // scale 2 on 1280 x 720
  const Scene scene = make_scene(*run, {0, 0, 860, 230}, Model::Layout::automatic, unit);
  EXPECT_EQ(scene.chip_size, ChipSize::dot);
  for (const Box& rank : scene.ranks) EXPECT_GE(rank.height, 34 * unit);
}

TEST(Scene, WiresHaveAllTheirLinksAndEndAtTheirDevices) {
  for (const char* share : {"ring?system=dgx1-v100", "ring?system=l40s-pcie", "ring?ranks=2",
                            "ring?system=dgx-h100&nodes=4", "ring?system=mesh&ranks=64"}) {
    SCOPED_TRACE(share);
    const stage::Run run = run_of(share);
    const Scene scene = make_scene(*run, region, Model::Layout::automatic, 1);
    for (LinkId id{0}; id.value < run->topology->links.size(); ++id.value) {
      const sim::Link& link = (*run->topology)[id];
      const auto nth = scene.wire_of[id.value];
      if (nth == UINT32_MAX) continue;
      const Scene::Wire& wire = scene.wires[nth];
      const bool there = wire.from == link.from;
      EXPECT_TRUE(wire.from == (there ? link.from : link.to) &&
                  wire.to == (there ? link.to : link.from));
      EXPECT_THAT(wire.links[there ? 0 : 1], testing::Contains(id));
      EXPECT_TRUE(scene.devices[wire.from.value].grown(1).contains(wire.path.front()));
      EXPECT_TRUE(scene.devices[wire.to.value].grown(1).contains(wire.path.back()));
    }
    for (const LinkId link : run->route_links)
      EXPECT_NE(scene.wire_of[link.value], UINT32_MAX) << run->topology->link_name(link);
  }
}

TEST(Scene, ManyRanksStandOnTheRim) {
  const stage::Run run = run_of("ring?ranks=64");
  const Scene scene = make_scene(*run, region, Model::Layout::automatic, 1);
  ASSERT_FALSE(scene.rim.is_empty());
  for (std::uint32_t i = 0; i < 64; ++i)
    for (const double depth : {0.01, 0.5, 0.99}) {
      const Point p = scene.rim.on(i, depth);
      EXPECT_EQ(scene.rank_at(p, 64), scene.rim_order[i]);
      EXPECT_TRUE(is_inside(Box::around(p, 0, 0), region));
    }
  EXPECT_EQ(scene.rank_at(region.centre(), 64), std::nullopt);
  EXPECT_TRUE(make_scene(*run_of("ring?ranks=32"), region, Model::Layout::ring, 1).rim.is_empty());
}

TEST(Scene, ATorusIsAGrid) {
  const stage::Run run = run_of("ring?system=torus&ranks=12");
  const Scene scene = make_scene(*run, region, Model::Layout::automatic, 1);
  for (std::uint32_t r = 0; r < 12; ++r) {
    EXPECT_EQ(scene.ranks[r].y, scene.ranks[r / 4 * 4].y);
    EXPECT_EQ(scene.ranks[r].x, scene.ranks[r % 4].x);
  }
}

TEST(Scene, RingsAreRingsAndMachinesMachinesUnlessAsked) {
  EXPECT_EQ(usual_layout(*run_of("ring")), Model::Layout::ring);
  EXPECT_EQ(usual_layout(*run_of("ring?system=dgx-a100")), Model::Layout::ring);  // one hub
  EXPECT_EQ(usual_layout(*run_of("ring?system=l40s-pcie")), Model::Layout::machine);
  EXPECT_EQ(usual_layout(*run_of("ring?system=dgx-h100&nodes=2")), Model::Layout::machine);
}

TEST(Scene, OnlyABareRingIsLogical) {
  EXPECT_TRUE(make_scene(*run_of("ring"), region, Model::Layout::automatic, 1).is_logical);
  EXPECT_FALSE(
      make_scene(*run_of("ring?system=dgx-a100"), region, Model::Layout::automatic, 1).is_logical);
}

TEST(Scene, ARouteThroughASwitchPassesItsBox) {
  const stage::Run run = run_of("ring?system=dgx-a100");
  const Scene scene = make_scene(*run, region, Model::Layout::automatic, 1);
  const auto hub = std::ranges::find_if(run->topology->devices, [](const sim::Device& device) {
    return device.kind == sim::DeviceKind::nvswitch;
  });
  const Box& box = scene.devices[static_cast<std::size_t>(hub - run->topology->devices.begin())];
  ASSERT_FALSE(box.is_empty());
  for (const Way& way : scene.ways)
    EXPECT_TRUE(std::ranges::any_of(way.path(), [&](Point p) { return box.contains(p); }));
}

TEST(Scene, FollowsTheRankOrder) {
  const stage::Run run = run_of("ring?rank-order=0,2,4,6,1,3,5,7");
  const Scene scene = make_scene(*run, region, Model::Layout::ring, 1);
  // Next to each other in the order, next to each other on the circle.
  const double apart = length(scene.ranks[0].centre() - scene.ranks[2].centre());
  EXPECT_LT(apart, length(scene.ranks[0].centre() - scene.ranks[1].centre()));
}

TEST(Geometry, AlongMeasuresLength) {
  const Path path{{0, 0}, {3, 0}, {3, 1}};
  EXPECT_EQ(along(path, 0), (Point{0, 0}));
  EXPECT_EQ(along(path, 0.5), (Point{2, 0}));
  EXPECT_EQ(along(path, 0.75), (Point{3, 0}));
  EXPECT_EQ(along(path, 1), (Point{3, 1}));
  EXPECT_EQ(along({{5, 5}}, 0.3), (Point{5, 5}));
}

TEST(Geometry, BesideIsOnTheRightAndKeepsItsDistance) {
  const Path path = beside({{0, 0}, {10, 0}}, {4, 3});  // to the east: south is on the right
  EXPECT_EQ(path, (Path{{0, 3}, {10, 3}}));
  EXPECT_EQ(beside(reversed({{0, 0}, {10, 0}}), {4, 3}), (Path{{10, -3}, {0, -3}}));
  EXPECT_EQ(beside({{0, 0}, {0, 10}}, {4, 3}), (Path{{-4, 0}, {-4, 10}}));
}

TEST(Geometry, ALineCrossesABoxOrPassesIt) {
  const Box box{0, 0, 10, 10};
  EXPECT_TRUE(box.is_crossed({-5, 5}, {15, 5}));
  EXPECT_TRUE(box.is_crossed({5, 5}, {50, 70}));
  EXPECT_FALSE(box.is_crossed({-5, 12}, {15, 12}));
  EXPECT_FALSE(box.is_crossed({-5, 5}, {-1, 5}));  // it ends before
  EXPECT_FALSE(box.is_crossed({-8, 4}, {4, 16}));  // past the corner
}

TEST(Geometry, RoundedKeepsItsEndsAndCutsTheCorner) {
  const Path path = rounded({{0, 0}, {100, 0}, {100, 100}}, 10);
  EXPECT_EQ(path.front(), (Point{0, 0}));
  EXPECT_EQ(path.back(), (Point{100, 100}));
  for (const Point p : path) EXPECT_GT(length(p - Point{100, 0}), 3);
}

TEST(Geometry, OutsideCutsBothEnds) {
  const Path cut = outside({{0, 0}, {100, 0}}, {-10, -10, 20, 20}, {90, -10, 20, 20});
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_EQ(cut.front(), (Point{10, 0}));
  EXPECT_EQ(cut.back(), (Point{90, 0}));
}

}  // namespace
}  // namespace ringside::stage
