#include "sim/cluster.hpp"

#include <gmock/gmock.h>

#include <map>

#include "sim/networks.hpp"
#include "sim/override.hpp"
#include "sim/router.hpp"
#include "sim/shapes.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Topology cluster(std::string_view system, const ClusterRequest& request) {
  auto made = make_cluster(*load_system(system), request);
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *made : Topology{};
}

std::string refusal(std::string_view system, const ClusterRequest& request) {
  const auto made = make_cluster(*load_system(system), request);
  return made ? "(made)" : made.error().message;
}

std::string route(const Topology& t, std::uint32_t from, std::uint32_t to) {
  Router router(t);
  const auto links = router.route(Rank{from}, Rank{to}, ChannelId{0});
  if (!links) return links.error().message;
  std::string devices = t[t.ranks[from]].name;
  for (const auto link : *links) devices += " " + t[t[link].to].name;
  return devices;
}

Duration latency(const Topology& t, std::uint32_t from, std::uint32_t to) {
  Router router(t);
  Duration sum{};
  const auto links = router.route(Rank{from}, Rank{to}, ChannelId{0});
  for (const auto link : *links) sum += t[link].latency;
  return sum;
}

TEST(Cluster, OneNodeStaysAsItIs) {
  for (const auto& system : list_systems()) {
    const auto t = *make_cluster(system, {});
    EXPECT_EQ(t.name, system.topology.name);
    EXPECT_EQ(t.devices.size(), system.topology.devices.size());
    EXPECT_EQ(t.links.size(), system.topology.links.size());
    EXPECT_EQ(t.ranks, system.topology.ranks);
    EXPECT_THAT(t.assumed, IsEmpty());
  }
}

TEST(Cluster, CountsInClosedForm) {
  for (const auto& system : list_systems()) {
    if (system.network.empty() || system.shared_by > 1) continue;
    const auto& node = system.topology;
    std::size_t rails = 0;
    for (const auto& device : node.devices) rails += device.kind == DeviceKind::nic;
    for (const std::uint64_t nodes : {2, 3, 16}) {
      const auto t = *make_cluster(system, {.nodes = nodes});
      SCOPED_TRACE(t.name);
      EXPECT_TRUE(check(t));
      EXPECT_EQ(t.nodes, nodes);
      EXPECT_EQ(t.ranks.size(), nodes * node.ranks.size());
      EXPECT_EQ(t.devices.size(), nodes * node.devices.size() + rails + (rails > 1));
      EXPECT_EQ(t.links.size(), nodes * (node.links.size() + 2 * rails) + (rails > 1) * 2 * rails);
      for (std::size_t r = 0; r < t.ranks.size(); ++r)
        EXPECT_EQ(t[t.ranks[r]].node, r / node.ranks.size());
    }
  }
}

TEST(Cluster, SameRailGoesThroughItsLeafOtherRailsOverTheSpine) {
  const auto t = cluster("dgx-h100", {.nodes = 4});
  EXPECT_EQ(route(t, 3, 8 + 3),
            "node0.gpu3 node0.pcie3 node0.nic3 leaf3 node1.nic3 node1.pcie3 node1.gpu3");
  EXPECT_EQ(route(t, 3, 24 + 5),
            "node0.gpu3 node0.pcie3 node0.nic3 leaf3 spine0 leaf5 node3.nic5 node3.pcie5 "
            "node3.gpu5");
  EXPECT_EQ(route(t, 0, 7), "node0.gpu0 node0.nvsw0 node0.gpu7");
}

TEST(Cluster, AMessagePaysTwoAdaptersAndEverySwitch) {
  for (const auto& network : networks()) {
    const auto t = cluster("dgx-h100", {.nodes = 2, .net = std::string(network.name)});
    const auto pcie = 4 * Duration{250'000};
    EXPECT_EQ(latency(t, 0, 8), pcie + 2 * network.adapter + network.switch_hop) << network.name;
    EXPECT_EQ(latency(t, 0, 9), pcie + 2 * network.adapter + 3 * network.switch_hop);
  }
}

TEST(Cluster, PathsStayWhatTheyAreMadeOfWhateverTheLatency) {
  auto t = cluster("dgx1-v100", {.nodes = 2});
  const auto inside = route(t, 0, 5), same_rail = route(t, 0, 8), across = route(t, 7, 8);
  EXPECT_EQ(inside, "node0.gpu0 node0.pcie0 node0.cpu0 node0.cpu1 node0.pcie2 node0.gpu5");
  EXPECT_EQ(across,
            "node0.gpu7 node0.pcie3 node0.nic3 leaf3 spine0 leaf0 node1.nic0 node1.pcie0 "
            "node1.gpu0");
  for (const auto* change : {"nvlink.latency=50us", "pcie.latency=50us", "ib.latency=50us",
                             "socket.latency=50us", "pcie.latency=0", "ib.latency=0"}) {
    ASSERT_TRUE(apply(*parse_override(change), t));
    EXPECT_EQ(route(t, 0, 3), "node0.gpu0 node0.gpu3") << change;
    EXPECT_EQ(route(t, 0, 5), inside) << change;
    EXPECT_EQ(route(t, 0, 8), same_rail) << change;
    EXPECT_EQ(route(t, 7, 8), across) << change;
  }
}

TEST(Cluster, GpusThatShareASwitchUseDifferentNics) {
  for (const auto* name : {"dgx-a100", "hgx-h200", "dgx-b200", "gb200-nvl72"}) {
    const auto system = *load_system(name);
    const auto node = static_cast<std::uint32_t>(system.topology.ranks.size());
    const auto t = *make_cluster(system, {.nodes = 20});
    Router router(t);
    std::map<std::uint32_t, int> use;
    for (std::uint32_t r = 0; r < node; ++r) {
      const auto links = router.route(Rank{r}, Rank{r + 19 * node}, ChannelId{0});
      for (const auto link : *links)
        if (t[t[link].from].kind == DeviceKind::nic) ++use[t[link].from.value];
    }
    EXPECT_EQ(use.size(), 2 * node) << name;  // one at each end
  }
}

TEST(Cluster, TheSpineIsNonBlockingUnlessTold) {
  for (const std::uint32_t over : {1u, 3u}) {
    const auto t = cluster("dgx-h100", {.nodes = 6, .oversubscription = over});
    const auto spine = *find_device(t, "spine0");
    int uplinks = 0;
    for (const auto& link : t.links) {
      if (link.to != spine) continue;
      EXPECT_EQ(link.bandwidth, Bandwidth{48'000'000'000u * 6 / over});
      ++uplinks;
    }
    EXPECT_EQ(uplinks, 8);
    EXPECT_THAT(t.assumed.back(), HasSubstr(over == 1 ? "non-blocking" : "3:1"));
  }
}

TEST(Cluster, TraysOfOneDomainShareTheNvswitchAndNeedNoNics) {
  const auto rack = cluster("gb200-nvl72", {.nodes = 18});
  EXPECT_EQ(rack.ranks.size(), 72u);
  EXPECT_TRUE(find_device(rack, "nvsw0"));
  EXPECT_FALSE(find_device(rack, "leaf0"));
  EXPECT_EQ(route(rack, 0, 71), "node0.gpu0 nvsw0 node17.gpu3");
  EXPECT_THAT(rack.assumed, IsEmpty());

  const auto racks = cluster("gb200-nvl72", {.nodes = 37});
  EXPECT_EQ(route(racks, 0, 71), "node0.gpu0 domain0.nvsw0 node17.gpu3");
  EXPECT_EQ(route(racks, 72, 72 + 4), "node18.gpu0 domain1.nvsw0 node19.gpu0");
  EXPECT_THAT(route(racks, 0, 72), HasSubstr(" leaf0 node18.nic0 "));
  EXPECT_TRUE(find_device(racks, "domain2.nvsw0"));
  EXPECT_FALSE(find_device(racks, "domain3.nvsw0"));
}

TEST(Cluster, WhatJoinsSharedDevicesIsSharedToo) {
  System system;
  auto& node = system.topology;
  node.name = "two-switch tray";
  const auto gpu = node.add(Device{.name = "gpu0"});
  const auto a = node.add(Device{.name = "nvsw0", .kind = DeviceKind::nvswitch, .forwards = true});
  const auto b = node.add(Device{.name = "nvsw1", .kind = DeviceKind::nvswitch, .forwards = true});
  node.ranks = {gpu};
  node.join(gpu, a, LinkKind::nvlink, 100_GBps, 200_ns);
  node.join(a, b, LinkKind::nvlink, 400_GBps, 100_ns);
  system.shared = {a, b};
  system.shared_by = 4;
  const auto rack = make_cluster(system, {.nodes = 4});
  ASSERT_TRUE(rack) << rack.error().message;
  EXPECT_EQ(rack->devices.size(), 4u + 2u);
  EXPECT_EQ(rack->links.size(), 4u * 2u + 2u);
  EXPECT_EQ(find_links(*rack, "nvsw0->nvsw1")->size(), 1u);
}

TEST(Cluster, NodesWithoutNicsNeedANetAndSayWhatTheyGot) {
  EXPECT_THAT(refusal("rtx4090-pcie", {.nodes = 2}), HasSubstr("--net NAME gives every GPU one"));
  const auto t = cluster("rtx4090-pcie", {.nodes = 2, .net = "roce100"});
  EXPECT_THAT(t.assumed[0], HasSubstr("every GPU was given one (roce100)"));
  EXPECT_EQ(route(t, 0, 8),
            "node0.gpu0 node0.cpu0 node0.nic0 leaf0 node1.nic0 node1.cpu0 node1.gpu0");

  const System bare{.topology = *make_shape({.kind = ShapeKind::ring, .ranks = 4})};
  const auto rings = *make_cluster(bare, {.nodes = 3, .net = "hdr"});
  EXPECT_EQ(route(rings, 1, 9), "node0.gpu1 node0.nic1 leaf1 node2.nic1 node2.gpu1");
}

TEST(Cluster, NicsOfAnUnknownKindNeedANet) {
  auto system = *load_system("dgx-h100");
  system.network.clear();
  EXPECT_THAT(make_cluster(system, {.nodes = 2}).error().message, HasSubstr("is not known"));
  EXPECT_TRUE(make_cluster(system, {.nodes = 2, .net = "ndr"}));
}

TEST(Cluster, TheFirstGpusTakePart) {
  EXPECT_EQ(cluster("dgx-h100", {.ranks = 3}).ranks.size(), 3u);
  const auto t = cluster("dgx-h100", {.nodes = 2, .ranks = 11});
  EXPECT_EQ(t[t.ranks.back()].name, "node1.gpu2");
  EXPECT_THAT(refusal("dgx-h100", {.nodes = 2, .ranks = 17}), HasSubstr("more than the 16 GPUs"));
}

TEST(Cluster, LargeOnesAreMadeQuicklyAndAreConnected) {
  const auto t = cluster("dgx-h100", {.nodes = 128});
  EXPECT_EQ(t.ranks.size(), 1024u);
  Router router(t);
  for (std::uint32_t r = 1; r < 1024; r += 31) {
    EXPECT_TRUE(router.route(Rank{0}, Rank{r}, ChannelId{0}));
    EXPECT_TRUE(router.route(Rank{r}, Rank{r - 1}, ChannelId{0}));
  }
}

TEST(Cluster, ImpossibleRequestsGetOneSentence) {
  EXPECT_THAT(refusal("dgx-h100", {.nodes = 0}), HasSubstr("at least one node"));
  EXPECT_THAT(refusal("dgx-h100", {.nodes = UINT64_MAX}), HasSubstr("too many"));
  EXPECT_THAT(refusal("dgx-h100", {.nodes = 1'000'000}),
              HasSubstr("more than the simulator holds"));
  EXPECT_THAT(refusal("dgx-h100", {.nodes = 2, .net = "ndrr"}), HasSubstr("did you mean ndr?"));
  EXPECT_THAT(refusal("dgx-h100", {.net = "ndrr"}), HasSubstr("did you mean ndr?"));
  EXPECT_THAT(refusal("dgx-h100", {.nodes = 2, .oversubscription = 0}), HasSubstr("ratio of 1"));
  System two{.topology = cluster("dgx-h100", {.nodes = 2})};
  EXPECT_THAT(make_cluster(two, {.nodes = 2}).error().message, HasSubstr("2 nodes already"));
}

}  // namespace
}  // namespace ringside::sim
