#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "sim/cluster.hpp"
#include "sim/import.hpp"
#include "sim/rank_order.hpp"
#include "sim/router.hpp"
#include "sim/shapes.hpp"
#include "sim/systems.hpp"
#include "tests/sim/import_files.hpp"

namespace ringside::sim {
namespace {

using namespace test;
using ::testing::HasSubstr;
using Ring = std::vector<Rank>;

Ring identity(std::uint32_t ranks) {
  Ring ring(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) ring[r] = {r};
  return ring;
}

bool is_permutation_of_all(const Ring& ring, std::uint32_t ranks) {
  Ring sorted = ring;
  std::sort(sorted.begin(), sorted.end());
  return sorted == identity(ranks);
}

double gigabytes(const Topology& topology, const Rings& rings) {
  const auto found = bottleneck(topology, rings);
  EXPECT_TRUE(found) << found.error().message;
  return found ? found->gigabytes_per_second() : 0;
}

Rings found(const Topology& topology, std::uint32_t channels) {
  const auto ranks = static_cast<std::uint32_t>(topology.ranks.size());
  const auto rings = find_rings(topology, ranks, channels);
  EXPECT_TRUE(rings) << rings.error().message;
  if (!rings) return {};
  for (const Ring& ring : *rings) EXPECT_TRUE(is_permutation_of_all(ring, ranks));
  return *rings;
}

/// Kinds of the links that the rings cross.
std::set<LinkKind> kinds(const Topology& topology, const Rings& rings) {
  Router router(topology);
  std::set<LinkKind> used;
  for (std::uint32_t c = 0; c < rings.size(); ++c)
    for (std::size_t i = 0; i < rings[c].size(); ++i) {
      const auto route = router.route(rings[c][i], rings[c][(i + 1) % rings[c].size()], {c});
      if (!route) continue;
      for (const LinkId id : *route) used.insert(topology[id].kind);
    }
  return used;
}

/// Two sockets, two PCIe switches each, two GPUs each; GPUs numbered by `seat`.
Topology pcie_tree(const std::vector<std::uint32_t>& seat) {
  Topology t;
  t.name = "tree";
  std::vector<DeviceId> gpus, switches, cpus;
  for (std::uint32_t i = 0; i < 8; ++i) gpus.push_back(t.add({.name = "gpu" + std::to_string(i)}));
  const auto inner = [&](std::string name, DeviceKind kind) {
    return t.add({.name = std::move(name), .kind = kind, .forwards = true});
  };
  for (std::uint32_t i = 0; i < 4; ++i)
    switches.push_back(inner("pcie" + std::to_string(i), DeviceKind::pcie_switch));
  for (std::uint32_t i = 0; i < 2; ++i)
    cpus.push_back(inner("cpu" + std::to_string(i), DeviceKind::cpu));
  for (std::uint32_t i = 0; i < 8; ++i)
    t.join(gpus[seat[i]], switches[i / 2], LinkKind::pcie, 24_GBps, 250_ns);
  for (std::uint32_t i = 0; i < 4; ++i)
    t.join(switches[i], cpus[i / 2], LinkKind::pcie, 24_GBps, 100_ns);
  t.join(cpus[0], cpus[1], LinkKind::socket, 20_GBps, 100_ns);
  t.ranks = gpus;
  return t;
}

/// The best bottleneck of any ring, by trying them all.
double best_of_all(const Topology& topology) {
  Ring ring = identity(static_cast<std::uint32_t>(topology.ranks.size()));
  double best = 0;
  do best = std::max(best, gigabytes(topology, {ring}));
  while (std::next_permutation(ring.begin() + 1, ring.end()));
  return best;
}

TEST(RankOrder, TheCubeMeshHasRingsOfNvlinkAlone) {
  const auto system = load_system("dgx1-v100");
  ASSERT_TRUE(system);
  const Topology& topology = system->topology;
  EXPECT_TRUE(kinds(topology, {identity(8)}).count(LinkKind::pcie));
  const double link = gigabytes_out(topology, "gpu0", LinkKind::nvlink) / 6;

  const Rings one = found(topology, 1);
  EXPECT_EQ(kinds(topology, one), std::set{LinkKind::nvlink});
  EXPECT_DOUBLE_EQ(gigabytes(topology, one), 2 * link);  // double links all the way

  // Two ways round the double links, two round the single ones: no wire is shared.
  const Rings four = found(topology, 4);
  EXPECT_EQ(kinds(topology, four), std::set{LinkKind::nvlink});
  EXPECT_DOUBLE_EQ(gigabytes(topology, four), link);

  const Rings all = found(topology, 0);
  EXPECT_EQ(all.size(), 6u);  // every NVLink of every GPU is full
  EXPECT_DOUBLE_EQ(gigabytes(topology, all), link);
}

TEST(RankOrder, APastedDgx1IsOrderedLikeThePreset) {
  const auto files = real_files("topo_m");
  if (files.empty()) GTEST_SKIP() << "the folder of real inputs is not beside the repository";
  const auto topology = import_topology(read_text(files[0]), "dgx1");
  ASSERT_TRUE(topology);
  EXPECT_EQ(found(*topology, 0).size(), 6u);
  EXPECT_EQ(kinds(*topology, found(*topology, 1)), std::set{LinkKind::nvlink});
}

TEST(RankOrder, EverySwitchOfAPcieTreeIsVisitedOnce) {
  const std::vector<std::vector<std::uint32_t>> seatings{{0, 1, 2, 3, 4, 5, 6, 7},
                                                         {0, 2, 4, 6, 1, 3, 5, 7},
                                                         {0, 4, 1, 5, 2, 6, 3, 7},
                                                         {7, 2, 0, 5, 3, 6, 1, 4}};
  for (const auto& seat : seatings) {
    const Topology topology = pcie_tree(seat);
    const Rings rings = found(topology, 1);
    ASSERT_EQ(rings.size(), 1u);
    EXPECT_DOUBLE_EQ(gigabytes(topology, rings), 20);  // one edge each way over the socket link
    std::vector<std::uint32_t> seat_of(8);
    for (std::uint32_t i = 0; i < 8; ++i) seat_of[seat[i]] = i;
    int left = 0;
    for (std::size_t i = 0; i < 8; ++i)
      if (seat_of[rings[0][i].value] / 2 != seat_of[rings[0][(i + 1) % 8].value] / 2) ++left;
    EXPECT_EQ(left, 4);
  }
}

TEST(RankOrder, NothingBeatsTheExactSearch) {
  EXPECT_DOUBLE_EQ(
      gigabytes(pcie_tree({7, 2, 0, 5, 3, 6, 1, 4}), found(pcie_tree({7, 2, 0, 5, 3, 6, 1, 4}), 1)),
      best_of_all(pcie_tree({7, 2, 0, 5, 3, 6, 1, 4})));
  std::uint64_t state = 1;  // a few unequal wirings
  const auto random = [&state](std::uint64_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % n;
  };
  for (int round = 0; round < 10; ++round) {
    auto shape = make_shape({.kind = ShapeKind::mesh, .ranks = 6});
    ASSERT_TRUE(shape);
    for (Link& link : shape->links) link.bandwidth = {(1 + random(8)) * 1'000'000'000};
    EXPECT_DOUBLE_EQ(gigabytes(*shape, found(*shape, 1)), best_of_all(*shape)) << round;
  }
}

TEST(RankOrder, NeverWorseThanTheIdentity) {
  for (const System& system : list_systems()) {
    const auto ranks = static_cast<std::uint32_t>(system.topology.ranks.size());
    EXPECT_GE(gigabytes(system.topology, found(system.topology, 1)),
              gigabytes(system.topology, {identity(ranks)}))
        << system.topology.name;
  }
  for (const auto kind : {ShapeKind::ring, ShapeKind::star, ShapeKind::torus, ShapeKind::hypercube,
                          ShapeKind::fattree})
    for (const std::uint64_t n : {1, 2, 4, 8, 16, 32}) {
      const auto shape = make_shape({.kind = kind, .ranks = n});
      ASSERT_TRUE(shape);
      const Rings rings = found(*shape, 1);
      EXPECT_GE(gigabytes(*shape, rings),
                gigabytes(*shape, {identity(static_cast<std::uint32_t>(n))}));
    }
}

TEST(RankOrder, ARingThroughATorusSharesNoWire) {
  const auto torus = make_shape({.kind = ShapeKind::torus, .ranks = 16});
  ASSERT_TRUE(torus);
  EXPECT_DOUBLE_EQ(gigabytes(*torus, found(*torus, 1)), 25);
}

TEST(RankOrder, SameInputSameRings) {
  const auto system = load_system("mi300x");
  ASSERT_TRUE(system);
  EXPECT_EQ(found(system->topology, 0), found(system->topology, 0));
}

/// Two nodes of four GPUs, a NIC beside each, a switch for each rail and a slow one over the rails.
Topology two_nodes() {
  Topology t;
  t.name = "rails";
  t.nodes = 2;
  std::vector<DeviceId> rails;
  for (std::uint32_t rail = 0; rail < 4; ++rail)
    rails.push_back(t.add({.name = "leaf" + std::to_string(rail),
                           .kind = DeviceKind::network_switch,
                           .forwards = true}));
  const DeviceId spine =
      t.add({.name = "spine", .kind = DeviceKind::network_switch, .forwards = true});
  for (const DeviceId rail : rails) t.join(rail, spine, LinkKind::ib, 10_GBps, 500_ns);
  for (std::uint32_t node = 0; node < 2; ++node) {
    const std::string prefix = "node" + std::to_string(node) + ".";
    const DeviceId nvsw = t.add(
        {.name = prefix + "nvsw0", .kind = DeviceKind::nvswitch, .node = node, .forwards = true});
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::string number = std::to_string(i);
      const DeviceId gpu = t.add({.name = prefix + "gpu" + number, .node = node});
      const DeviceId nic = t.add({.name = prefix + "nic" + number,
                                  .kind = DeviceKind::nic,
                                  .node = node,
                                  .forwards = true});
      t.join(gpu, nvsw, LinkKind::nvlink, 400_GBps, 200_ns);
      t.join(gpu, nic, LinkKind::pcie, 50_GBps, 250_ns);
      t.join(nic, rails[i], LinkKind::ib, 50_GBps, 500_ns);
      t.ranks.push_back(gpu);
    }
  }
  return t;
}

TEST(RankOrder, NodesAreEnteredByTheRailTheLastWasLeftBy) {
  const Topology topology = two_nodes();
  EXPECT_DOUBLE_EQ(gigabytes(topology, {identity(8)}), 5);  // 3 -> 4, 7 -> 0: over the spine
  const Rings rings = found(topology, 0);
  EXPECT_DOUBLE_EQ(gigabytes(topology, {rings[0]}), 50);
  EXPECT_GE(rings.size(), 2u);  // two rails a ring, both ways
  for (const Ring& ring : rings) {
    int crossings = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const auto a = ring[i].value, b = ring[(i + 1) % 8].value;
      if (a / 4 == b / 4) continue;
      ++crossings;
      EXPECT_EQ(a % 4, b % 4);
    }
    EXPECT_EQ(crossings, 2);
  }
}

TEST(RankOrder, ClustersUseEveryRail) {
  for (const std::uint32_t nodes : {2u, 4u, 16u}) {
    const auto node = load_system("dgx-h100");
    ASSERT_TRUE(node);
    const auto cluster = make_cluster(*node, {.nodes = nodes});
    ASSERT_TRUE(cluster) << cluster.error().message;
    const Rings rings = found(*cluster, 0);
    EXPECT_EQ(rings.size(), 8u);  // a NIC each
    EXPECT_DOUBLE_EQ(gigabytes(*cluster, rings), gigabytes(*cluster, {identity(8 * nodes)}));
    for (const Ring& ring : rings)
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const auto a = ring[i].value, b = ring[(i + 1) % ring.size()].value;
        EXPECT_TRUE(a / 8 == b / 8 || a % 8 == b % 8) << a << " -> " << b;
      }
  }
}

TEST(RankOrder, ListsAreCheckedPermutations) {
  const auto shape = make_shape({.kind = ShapeKind::mesh, .ranks = 4});
  ASSERT_TRUE(shape);
  const auto parse = [&](std::string_view text) { return parse_rank_order(text, *shape, 4, 1); };
  ASSERT_TRUE(parse("0,3,2,1"));
  EXPECT_EQ(*parse("0,3,2,1"), (Rings{{{0}, {3}, {2}, {1}}}));
  EXPECT_EQ(*parse(" 0, 3 ,2,1 ; 3,2,1,0"), (Rings{{{0}, {3}, {2}, {1}}, {{3}, {2}, {1}, {0}}}));
  EXPECT_EQ(*parse("identity"), Rings{});
  EXPECT_EQ(parse("auto")->size(), 1u);
  for (const auto& [text, words] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"0,1,2", "rank 3 is missing"},
           {"0,1,2,2", "rank 2 comes twice"},
           {"0,1,2,9", "no rank 9"},
           {"0,1,2,-1", "`-1` is no rank"},
           {"0,1,2,", "`` is no rank"},
           {"0,1,2,99999999999", "is no rank"},
           {"otto", "expected auto, identity or a list"},
           {"", "expected auto, identity or a list"}}) {
    const auto order = parse(text);
    ASSERT_FALSE(order) << text;
    EXPECT_THAT(order.error().message, HasSubstr(std::string(words)));
  }
  EXPECT_FALSE(find_rings(*shape, 5, 1));
}

}  // namespace
}  // namespace ringside::sim
