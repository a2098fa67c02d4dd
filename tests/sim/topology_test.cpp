#include "sim/topology.hpp"

#include <gtest/gtest.h>

#include "sim/faults.hpp"
#include "sim/systems.hpp"
#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

TEST(PlaceAgents, OnSwitchesThatEveryRankIsLinkedTo) {
  auto star = shape(ShapeKind::star, 4);
  need(place_agents(star, 2, InSwitch::nvls));
  ASSERT_EQ(star.ranks.size(), 6u);
  EXPECT_EQ(star[star.ranks[4]].name, "sw0");
  EXPECT_EQ(star[star.ranks[5]].name, "sw0");
  auto ring = shape(ShapeKind::ring, 4);
  const auto refused = place_agents(ring, 1, InSwitch::nvls);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, place_agents(ring, 1, InSwitch::sharp).error().message)
      << "no switch at all: one reason";
  EXPECT_EQ(refused.error().message.find("nvls"), std::string::npos) << refused.error().message;
}

TEST(PlaceAgents, OnlyWhereTheSwitchReducesThatWay) {
  auto star = shape(ShapeKind::star, 4);
  star.devices.back().sharp = false;
  need(place_agents(star, 1, InSwitch::nvls));
  auto same = shape(ShapeKind::star, 4);
  same.devices.back().sharp = false;
  EXPECT_FALSE(place_agents(same, 1, InSwitch::sharp));
  for (const auto& [name, reduces] : {std::pair{"dgx-a100", false},
                                      {"dgx2-v100", false},
                                      {"dgx-h100", true},
                                      {"gb200-nvl72", true}}) {
    auto system = load_system(name);
    ASSERT_TRUE(system);
    EXPECT_EQ(place_agents(system->topology, 1, InSwitch::nvls).has_value(), reduces) << name;
    EXPECT_FALSE(place_agents(system->topology, 1, InSwitch::sharp)) << name;
  }
}

TEST(PlaceAgents, TheRefusalNamesTheDeadLink) {
  for (const std::string dead : {"gpu2->sw0", "sw0->gpu2"}) {
    auto star = shape(ShapeKind::star, 4);
    Faults faults;
    faults.dead = {dead};
    need(apply(faults, star));
    for (const auto way : {InSwitch::nvls, InSwitch::sharp}) {
      const auto refused = place_agents(star, 1, way);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().message,
                "reducing in the switch needs one that can (NVLS, SHARP), linked directly to every "
                "rank, and with " +
                    dead + " dead " + star.name + " has no link " + dead);
      EXPECT_EQ(star.ranks.size(), 4u) << "a refusal seats nobody";
    }
  }
}

TEST(PlaceAgents, TheRefusalNamesTheMissingWireOfTheNearestSwitchThatReducesThatWay) {
  auto t = gpus(3);  // y serves one of three, x two, z all but by SHARP alone
  for (const auto* name : {"y", "x", "z"}) {
    const bool z = *name == 'z';
    t.add(Device{.name = name, .kind = DeviceKind::nvswitch, .nvls = !z, .sharp = z});
  }
  for (const auto& [gpu, sw] :
       {std::pair{2u, 3u}, {0u, 4u}, {2u, 4u}, {0u, 5u}, {1u, 5u}, {2u, 5u}})
    t.join({gpu}, {sw}, LinkKind::nvlink, 25_GBps, 1_us);
  const auto refused = place_agents(t, 1, InSwitch::nvls);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "nvls needs a switch that reduces and multicasts, linked directly to every rank, and " +
                t.name + " has no link gpu1->x");
  need(place_agents(t, 2, InSwitch::sharp));
  EXPECT_EQ(t[t.ranks.back()].name, "z");
}

TEST(PlaceAgents, ADeadLinkIsNoReasonWhereNoSwitchReduces) {
  auto system = load_system("dgx-a100");
  ASSERT_TRUE(system);
  Faults faults;
  faults.dead = {"gpu2->nvsw0"};
  need(apply(faults, system->topology));
  const auto refused = place_agents(system->topology, 1, InSwitch::nvls);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.ends_with(" and dgx-a100 has none"))
      << refused.error().message;
}

TEST(Topology, NamesParallelLinksAndFindsThemAgain) {
  auto t = gpus(3);
  t.join({0}, {1}, LinkKind::nvlink, 25_GBps, 1_us);
  t.join({0}, {1}, LinkKind::nvlink, 25_GBps, 1_us);
  t.join({1}, {2}, LinkKind::nvlink, 25_GBps, 1_us);
  EXPECT_EQ(t.link_name({0}), "gpu0->gpu1#1");
  EXPECT_EQ(t.link_name({2}), "gpu0->gpu1#2");
  EXPECT_EQ(t.link_name({4}), "gpu1->gpu2");
  EXPECT_EQ(need(find_links(t, "gpu0->gpu1")), (std::vector<LinkId>{{0}, {2}}));
  for (std::uint32_t id = 0; id < t.links.size(); ++id) {
    EXPECT_EQ(need(find_links(t, t.link_name({id}))), std::vector{LinkId{id}});
    EXPECT_EQ(t.link_names()[id], t.link_name({id}));
  }
  const auto message = [&](std::string_view name) { return find_links(t, name).error().message; };
  EXPECT_NE(message("gpu0->gpx1").find("did you mean gpu"), std::string::npos);
  EXPECT_NE(message("gpu0->gpu2").find("gpu0 has links to gpu1"), std::string::npos);
  EXPECT_NE(message("gpu0->gpu1#3").find("has 2 links"), std::string::npos);
  for (const auto* bad : {"", "gpu0", "gpu0->gpu1#", "gpu0->gpu1#0", "gpu0->gpu1#x"})
    EXPECT_NE(message(bad).find("is not a link"), std::string::npos) << bad;
}

TEST(Topology, CheckRefusesWhatCannotBe) {
  const auto message = [](auto spoil) {
    auto t = shape(ShapeKind::star, 3);
    spoil(t);
    const auto checked = check(t);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(message([](Topology&) {}), "");
  EXPECT_NE(message([](Topology& t) { t.devices[1].name = "gpu0"; }).find("two devices"),
            std::string::npos);
  EXPECT_NE(message([](Topology& t) { t.devices[1].name = ""; }).find("no name"),
            std::string::npos);
  EXPECT_NE(message([](Topology& t) { t.links[0].to = {99}; }).find("does not exist"),
            std::string::npos);
  EXPECT_NE(message([](Topology& t) { t.links[0].to = t.links[0].from; }).find("leads back"),
            std::string::npos);
  EXPECT_NE(message([](Topology& t) { t.links[0].latency = {-1}; }).find("negative"),
            std::string::npos);
  EXPECT_NE(message([](Topology& t) { t.ranks[0] = {99}; }).find("rank 0"), std::string::npos);
}

}  // namespace
}  // namespace ringside::sim
