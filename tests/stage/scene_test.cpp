// Where things stand on the stage: inside their region, clear of each other, for every machine.

#include "viz/stage/scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  for (const int nodes : {2, 4, 9, 32})
    all.push_back("ring?system=dgx-h100&nodes=" + std::to_string(nodes));
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
    // It starts beside its source and ends beside its target, wherever the boxes are.
    const Box from = scene.ranks[t.src().rank.value].grown(8),
              to = scene.ranks[t.dst().rank.value].grown(8);
    ASSERT_TRUE(from.contains(scene.at(id, 0)) || from.overlaps(to));
    ASSERT_TRUE(to.contains(scene.at(id, 1)) || from.overlaps(to));
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
  for (const Path& way : scene.ways)
    EXPECT_TRUE(std::ranges::any_of(way, [&](Point p) { return box.contains(p); }));
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

TEST(Geometry, OutsideCutsBothEnds) {
  const Path cut = outside({{0, 0}, {100, 0}}, {-10, -10, 20, 20}, {90, -10, 20, 20});
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_EQ(cut.front(), (Point{10, 0}));
  EXPECT_EQ(cut.back(), (Point{90, 0}));
}

}  // namespace
}  // namespace ringside::stage
