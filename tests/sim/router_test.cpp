#include "sim/router.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

/// Better = smaller: passages between NIC and network, links of the host, latency, then the wider,
/// then the shorter.
using Merit = std::tuple<int, int, Duration, std::uint64_t, std::size_t>;

Merit merit(const Topology& t, std::span<const LinkId> route) {
  int adapters = 0, host = 0;
  Duration latency{};
  auto width = UINT64_MAX;
  for (const auto id : route) {
    const Link& link = t[id];
    const bool nic = t[link.from].kind == DeviceKind::nic || t[link.to].kind == DeviceKind::nic;
    if (link.kind == LinkKind::ib && nic) ++adapters;
    if (link.kind == LinkKind::pcie || link.kind == LinkKind::socket) ++host;
    latency += link.latency;
    width = std::min(width, link.bandwidth.bytes_per_second);
  }
  return {adapters, host, latency, UINT64_MAX - width, route.size()};
}

/// Every way without a repeated device, tried.
struct Exhaustive {
  const Topology& t;
  DeviceId to;
  std::vector<LinkId> way = {};
  std::set<std::uint32_t> visited = {};
  std::optional<Merit> best = {};

  void from(DeviceId at) {
    if (at == to) {
      const auto found = merit(t, way);
      if (!best || found < *best) best = found;
      return;
    }
    if (!way.empty() && !t[at].forwards) return;
    visited.insert(at.value);
    for (std::uint32_t id = 0; id < t.links.size(); ++id) {
      if (t.links[id].from != at || visited.contains(t.links[id].to.value)) continue;
      way.push_back({id});
      from(t.links[id].to);
      way.pop_back();
    }
    visited.erase(at.value);
  }
};

Topology random_topology(std::mt19937_64& random) {
  auto t = gpus(6);
  constexpr LinkKind kinds[] = {LinkKind::generic, LinkKind::pcie, LinkKind::ib, LinkKind::nvlink};
  const auto variety = 1 + random() % 4;
  for (auto& device : t.devices) {
    device.forwards = random() % 3 > 0;
    if (random() % 3 == 0) device.kind = DeviceKind::nic;
  }
  const auto links = 6 + random() % 14;
  for (std::uint64_t i = 0; i < links; ++i) {
    const auto from = static_cast<std::uint32_t>(random() % 6);
    const auto to = static_cast<std::uint32_t>((from + 1 + random() % 5) % 6);
    t.add(Link{{from},
               {to},
               kinds[random() % variety],
               {(1 + random() % 3) * 1000},
               microseconds(static_cast<std::int64_t>(random() % 3))});
  }
  return t;
}

TEST(Router, FindsTheBestOfAllWays) {
  std::mt19937_64 random(11);
  int ways = 0, none = 0;
  for (int round = 0; round < 400; ++round) {
    const auto t = random_topology(random);
    Router router(t);
    for (std::uint32_t from = 0; from < 6; ++from)
      for (std::uint32_t to = 0; to < 6; ++to) {
        if (from == to) continue;
        Exhaustive all{t, {to}};
        all.from({from});
        const auto route = router.route({from}, {to}, {static_cast<std::uint32_t>(round % 4)});
        ASSERT_EQ(route.has_value(), all.best.has_value());
        if (!route) {
          ++none;
          continue;
        }
        ++ways;
        EXPECT_EQ(merit(t, *route), *all.best);
        DeviceId at{from};
        for (const auto id : *route) {
          EXPECT_EQ(t[id].from, at);
          EXPECT_TRUE(at.value == from || t[at].forwards);
          at = t[id].to;
        }
        EXPECT_EQ(at.value, to);
      }
  }
  EXPECT_GT(ways, 3000);
  EXPECT_GT(none, 1000);
}

TEST(Router, ANarrowLastLinkMakesTheShorterWayEqualAgain) {
  // gpu0 -> s0 -> s1 -> s2 is wide, gpu0 -> s3 -> s2 is narrow, equally fast; but the last link is
  // narrower than both, so the shorter way wins although its beginning is the narrower one.
  auto t = gpus(2);
  std::vector<DeviceId> s;
  for (int i = 0; i < 4; ++i) s.push_back(add_switch(t, "s" + std::to_string(i)));
  const auto link = [&](DeviceId a, DeviceId b, Bandwidth bandwidth, Duration latency) {
    return t.add(Link{a, b, LinkKind::generic, bandwidth, latency});
  };
  link({0}, s[0], 100_GBps, 1_us);
  link(s[0], s[1], 100_GBps, 1_us);
  link(s[1], s[2], 100_GBps, 2_us);
  const auto shorter = link({0}, s[3], 50_GBps, 2_us);
  link(s[3], s[2], 50_GBps, 2_us);
  link(s[2], {1}, 20_GBps, 1_us);
  Router router(t);
  const auto route = need(router.route({0}, {1}, {0}));
  ASSERT_EQ(route.size(), 3u);
  EXPECT_EQ(route[0], shorter);
}

/// How many of these pairs use each link.
std::map<LinkId, int> load(Router& router, const std::vector<std::array<std::uint32_t, 3>>& pairs) {
  std::map<LinkId, int> uses;
  for (const auto& [from, to, channel] : pairs)
    for (const auto id : need(router.route({from}, {to}, {channel}))) ++uses[id];
  return uses;
}

/// 4 leaves of 4 under 4 spines: as many wires up as down.
Topology two_levels() {
  auto t = gpus(16);
  std::vector<DeviceId> leaves, spines;
  for (int i = 0; i < 4; ++i) leaves.push_back(add_switch(t, "leaf" + std::to_string(i)));
  for (int i = 0; i < 4; ++i) spines.push_back(add_switch(t, "spine" + std::to_string(i)));
  for (std::uint32_t g = 0; g < 16; ++g) t.join({g}, leaves[g / 4], LinkKind::ib, 25_GBps, 1_us);
  for (const auto leaf : leaves)
    for (const auto spine : spines) t.join(leaf, spine, LinkKind::ib, 25_GBps, 1_us);
  return t;
}

/// 4 pods of 2 edge and 2 aggregation switches, 4 cores; aggregation switch i of a pod reaches
/// cores 2i and 2i+1.
Topology three_levels() {
  auto t = gpus(16);
  std::vector<DeviceId> edges, cores;
  for (int i = 0; i < 4; ++i) cores.push_back(add_switch(t, "core" + std::to_string(i)));
  for (int pod = 0; pod < 4; ++pod) {
    for (int i = 0; i < 2; ++i)
      edges.push_back(add_switch(t, "edge" + std::to_string(2 * pod + i)));
    for (std::size_t i = 0; i < 2; ++i) {
      const auto up = add_switch(t, "agg" + std::to_string(pod) + "." + std::to_string(i));
      for (std::size_t e = 1; e <= 2; ++e)
        t.join(edges[edges.size() - e], up, LinkKind::ib, 25_GBps, 1_us);
      for (std::size_t c = 0; c < 2; ++c) t.join(up, cores[2 * i + c], LinkKind::ib, 25_GBps, 1_us);
    }
  }
  for (std::uint32_t g = 0; g < 16; ++g) t.join({g}, edges[g / 2], LinkKind::ib, 25_GBps, 1_us);
  return t;
}

TEST(Router, EveryShiftFindsAFatTreeWithoutContention) {
  for (const auto& t : {two_levels(), three_levels()}) {
    Router router(t);
    for (std::uint32_t shift = 1; shift < 16; ++shift) {
      std::vector<std::array<std::uint32_t, 3>> pairs;
      for (std::uint32_t g = 0; g < 16; ++g) pairs.push_back({g, (g + shift) % 16, 0});
      for (const auto& [id, uses] : load(router, pairs))
        EXPECT_EQ(uses, 1) << t.link_name(id) << " at shift " << shift;
    }
  }
}

TEST(Router, AllPairsLoadFourSwitchesAlikeAndChannelsSpread) {
  auto t = gpus(8);
  for (int i = 0; i < 4; ++i) {
    const auto sw = add_switch(t, "nvsw" + std::to_string(i), DeviceKind::nvswitch);
    for (std::uint32_t g = 0; g < 8; ++g) t.join({g}, sw, LinkKind::nvlink, 100_GBps, 1_us);
  }
  Router router(t);
  std::vector<std::array<std::uint32_t, 3>> pairs;
  for (std::uint32_t a = 0; a < 8; ++a)
    for (std::uint32_t b = 0; b < 8; ++b)
      if (a != b) pairs.push_back({a, b, 0});
  const auto uses = load(router, pairs);
  EXPECT_EQ(uses.size(), 64u);
  for (const auto& [id, count] : uses) {
    EXPECT_GE(count, 1) << t.link_name(id);
    EXPECT_LE(count, 2) << t.link_name(id);
  }
  EXPECT_EQ(load(router, {{0, 1, 0}, {0, 1, 1}, {0, 1, 2}, {0, 1, 3}}).size(), 8u);
}

TEST(Router, AnswersDoNotDependOnTheOrderOfQuestions) {
  std::mt19937_64 random(3);
  const auto t = random_topology(random);
  Router forwards(t), backwards(t);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < 36; ++i) pairs.emplace_back(i / 6, i % 6);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<LinkId>> first;
  for (const auto& p : pairs) {
    const auto r = forwards.route({p.first}, {p.second}, {1});
    if (r) first[p].assign(r->begin(), r->end());
  }
  std::reverse(pairs.begin(), pairs.end());
  for (const auto& p : pairs) {
    const auto r = backwards.route({p.first}, {p.second}, {1});
    ASSERT_EQ(r.has_value(), first.contains(p));
    if (r) {
      EXPECT_EQ(first[p], std::vector(r->begin(), r->end()));
    }
  }
}

/// Two sockets, a PCIe switch with two GPUs on each, memory on each CPU; GPUs 0 and 1 also NVLink.
Topology two_sockets(bool peer_to_peer) {
  auto t = gpus(4);
  t.peer_to_peer = peer_to_peer;
  std::vector<DeviceId> cpus;
  for (int s = 0; s < 2; ++s) {
    const auto number = std::to_string(s);
    cpus.push_back(add_switch(t, "cpu" + number, DeviceKind::cpu));
    Device memory;
    memory.name = "memory" + number;
    memory.kind = DeviceKind::memory;
    t.join(cpus.back(), t.add(memory), LinkKind::memory, 200_GBps, 100_ns);
    const auto pcie = add_switch(t, "pcie" + number, DeviceKind::pcie_switch);
    t.join(pcie, cpus.back(), LinkKind::pcie, 25_GBps, 500_ns);
    for (std::uint32_t g = 0; g < 2; ++g)
      t.join({static_cast<std::uint32_t>(2 * s) + g}, pcie, LinkKind::pcie, 25_GBps, 500_ns);
  }
  t.join(cpus[0], cpus[1], LinkKind::socket, 20_GBps, 300_ns);
  t.join({0}, {1}, LinkKind::nvlink, 50_GBps, 700_ns);
  return t;
}

std::string said(const Topology& t, std::uint32_t from, std::uint32_t to) {
  Router router(t);
  const auto route = router.route({from}, {to}, {0});
  if (!route) return route.error().message;
  std::string names;
  for (const auto id : *route) names += t.link_name(id) + " ";
  return names;
}

TEST(Router, ASwitchOfManyPortsSpreadsOverParallelLinksAsASmallOneDoes) {
  // Two links each way between every rank and the switch. It has more ports than a tree has
  // reached devices, so its ways on are found from the other side.
  for (const std::uint32_t ranks : {3u, 100u}) {
    auto t = gpus(ranks);
    const auto sw = add_switch(t, "sw0");
    for (std::uint32_t twice = 0; twice < 2 * ranks; ++twice)
      t.join({twice % ranks}, sw, LinkKind::generic, 25_GBps, 1_us);
    Router router(t);
    for (const std::uint32_t channel : {0u, 1u})
      for (std::uint32_t to = 1; to < ranks; ++to) {
        const auto route = need(router.route({0}, {to}, {channel}));
        ASSERT_EQ(route.size(), 2u);
        const auto parallel = to + channel;  // `join` adds a link there, then one back
        EXPECT_EQ(route[0].value, parallel % 2 * 2 * ranks);
        EXPECT_EQ(route[1].value, parallel % 2 * 2 * ranks + 2 * to + 1);
      }
  }
}

TEST(Router, WithoutPeerToPeerPcieGoesThroughTheSourcesMemory) {
  EXPECT_EQ(said(two_sockets(true), 2, 3), "gpu2->pcie1 pcie1->gpu3 ");
  EXPECT_EQ(said(two_sockets(false), 2, 3),
            "gpu2->pcie1 pcie1->cpu1 cpu1->memory1 memory1->cpu1 cpu1->pcie1 pcie1->gpu3 ");
  EXPECT_EQ(said(two_sockets(false), 2, 0),
            "gpu2->pcie1 pcie1->cpu1 cpu1->memory1 memory1->cpu1 cpu1->cpu0 cpu0->pcie0 "
            "pcie0->gpu0 ");
  EXPECT_EQ(said(two_sockets(false), 0, 1), "gpu0->gpu1 ") << "NVLink stays direct";
}

TEST(Router, SaysWhatIsMissing) {
  auto t = gpus(2);
  EXPECT_EQ(said(t, 0, 1), "there is no way from gpu0 to gpu1 in sketch");
  EXPECT_EQ(said(t, 0, 2), "rank 2 has no device in sketch, which has 2 ranks");
  t.peer_to_peer = false;
  t.join({0}, {1}, LinkKind::pcie, 25_GBps, 1_us);
  EXPECT_NE(said(t, 0, 1).find("no memory device"), std::string::npos);
}

TEST(Router, AWayLongerThanTheClockIsNone) {
  auto t = gpus(3, true);
  t.join({0}, {1}, LinkKind::generic, 1_GBps, {INT64_MAX / 2 + 1});
  t.join({1}, {2}, LinkKind::generic, 1_GBps, {INT64_MAX / 2 + 1});
  EXPECT_EQ(said(t, 0, 1), "gpu0->gpu1 ");
  EXPECT_NE(said(t, 0, 2).find("no way"), std::string::npos);
}

}  // namespace
}  // namespace ringside::sim
