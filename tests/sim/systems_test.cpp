#include "sim/systems.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "sim/networks.hpp"
#include "sim/router.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;

Topology preset(std::string_view name) {
  auto loaded = load_system(name);
  EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
  return loaded ? loaded->topology : Topology{};
}

std::size_t count(const Topology& t, DeviceKind kind) {
  std::size_t found = 0;
  for (const auto& device : t.devices) found += device.kind == kind;
  return found;
}

/// Sum of what leaves each rank's device over links of that kind.
std::vector<double> out_of_ranks(const Topology& t, LinkKind kind) {
  std::vector<double> sum(t.ranks.size());
  for (std::size_t r = 0; r < t.ranks.size(); ++r)
    for (const auto& link : t.links)
      if (link.from == t.ranks[r] && link.kind == kind)
        sum[r] += link.bandwidth.gigabytes_per_second();
  return sum;
}

std::string route(const Topology& t, std::uint32_t from, std::uint32_t to) {
  Router router(t);
  const auto links = router.route(Rank{from}, Rank{to}, ChannelId{0});
  if (!links) return links.error().message;
  std::string devices = t[t.ranks[from]].name;
  for (const auto link : *links) devices += " " + t[t[link].to].name;
  return devices;
}

TEST(Systems, AllThatWerePromisedAreThere) {
  std::set<std::string> names;
  for (const auto& system : list_systems()) names.insert(system.topology.name);
  for (const auto* name : {"dgx1-v100", "dgx2-v100", "dgx-a100", "dgx-h100", "hgx-h200", "dgx-b200",
                           "gb200-nvl72", "gb300-nvl72", "mi300x", "l40s-pcie", "rtx4090-pcie",
                           "rtx3090-nvlink-pair", "pcie-2socket", "v100-cloud-pair"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Systems, EveryNumberHasASourceBesideIt) {
  for (const auto& [name, toml] : system_texts()) {
    std::string_view above;
    for (std::size_t begin = 0, line = 1; begin < toml.size(); ++line) {
      const auto end = std::min(toml.find('\n', begin), toml.size());
      const auto text = toml.substr(begin, end - begin);
      const bool figure = text.starts_with("bandwidth") || text.starts_with("memory") ||
                          text.starts_with("latency");
      EXPECT_TRUE(!figure || text.find("# ") != text.npos || above.starts_with("# "))
          << name << ".toml:" << line << " " << text;
      above = text;
      begin = end + 1;
    }
  }
}

TEST(Systems, EveryPresetIsSoundAndEveryPairOfRanksHasARoute) {
  std::set<std::string> names;
  for (const auto& system : list_systems()) {
    const auto& t = system.topology;
    SCOPED_TRACE(t.name);
    EXPECT_TRUE(check(t));
    EXPECT_FALSE(system.summary.empty());
    EXPECT_TRUE(t.assumed.empty()) << "a preset has sources, not assumptions";
    EXPECT_TRUE(names.insert(t.name).second);
    for (const auto& alias : system.aliases) {
      EXPECT_TRUE(names.insert(alias).second) << alias << " means two systems";
      EXPECT_EQ(preset(alias).name, t.name);
    }
    EXPECT_EQ(system.network.empty(), count(t, DeviceKind::nic) == 0);
    EXPECT_EQ(count(t, DeviceKind::cpu), count(t, DeviceKind::memory));
    Router router(t);
    for (std::uint32_t a = 0; a < t.ranks.size(); ++a)
      for (std::uint32_t b = 0; b < t.ranks.size(); ++b)
        EXPECT_TRUE(router.route(Rank{a}, Rank{b}, ChannelId{0})) << a << "->" << b;
  }
}

TEST(Systems, EveryWireRunsBothWaysWithEqualFigures) {
  for (const auto& system : list_systems()) {
    std::multiset<std::tuple<std::uint32_t, std::uint32_t, LinkKind, Bandwidth, Duration>> wires;
    for (const auto& l : system.topology.links)
      wires.emplace(l.from.value, l.to.value, l.kind, l.bandwidth, l.latency);
    for (const auto& l : system.topology.links)
      EXPECT_EQ(wires.count({l.from.value, l.to.value, l.kind, l.bandwidth, l.latency}),
                wires.count({l.to.value, l.from.value, l.kind, l.bandwidth, l.latency}))
          << system.topology.name;
  }
}

TEST(Systems, GpusReachTheSourcesAggregateBandwidth) {
  // NCCL's figure for a link times the links of a GPU.
  const std::map<std::string, double> nvlink{
      {"dgx1-v100", 120},     {"dgx2-v100", 120},     {"dgx-a100", 240},
      {"dgx-h100", 370.8},    {"hgx-h200", 370.8},    {"dgx-b200", 721.8},
      {"gb200-nvl72", 721.8}, {"gb300-nvl72", 721.8}, {"rtx3090-nvlink-pair", 48}};
  for (const auto& system : list_systems()) {
    const auto& t = system.topology;
    const auto known = nvlink.find(t.name);
    for (const auto sum : out_of_ranks(t, LinkKind::nvlink))
      EXPECT_DOUBLE_EQ(sum, known == nvlink.end() ? 0 : known->second) << t.name;
  }
  for (const auto sum : out_of_ranks(preset("mi300x"), LinkKind::xgmi))
    EXPECT_DOUBLE_EQ(sum, 7 * 48);
}

TEST(Systems, NodesHaveTheMakersPartsInThem) {
  struct Parts {
    std::size_t gpus, nics, switches;
  };
  const std::map<std::string, Parts> parts{
      {"dgx1-v100", {8, 4, 4}},    {"dgx2-v100", {16, 8, 12}},
      {"dgx-a100", {8, 8, 4}},     {"dgx-h100", {8, 8, 8}},
      {"hgx-h200", {8, 8, 4}},     {"dgx-b200", {8, 8, 4}},
      {"gb200-nvl72", {4, 4, 0}},  {"gb300-nvl72", {4, 4, 0}},
      {"mi300x", {8, 8, 8}},       {"l40s-pcie", {8, 4, 4}},
      {"rtx4090-pcie", {8, 0, 0}}, {"rtx3090-nvlink-pair", {2, 0, 0}},
      {"pcie-2socket", {8, 2, 2}}, {"v100-cloud-pair", {2, 0, 0}}};
  for (const auto& [name, expected] : parts) {
    const auto t = preset(name);
    EXPECT_EQ(t.ranks.size(), expected.gpus) << name;
    EXPECT_EQ(count(t, DeviceKind::gpu), expected.gpus) << name;
    EXPECT_EQ(count(t, DeviceKind::nic), expected.nics) << name;
    EXPECT_EQ(count(t, DeviceKind::pcie_switch), expected.switches) << name;
  }
}

TEST(Systems, Dgx1IsTheHybridCubeMesh) {
  // Rows of `nvidia-smi topo -m` of a DGX-1: links between GPU r and GPU c.
  const int links[8][8] = {{0, 1, 1, 2, 2, 0, 0, 0}, {1, 0, 2, 1, 0, 2, 0, 0},
                           {1, 2, 0, 2, 0, 0, 1, 0}, {2, 1, 2, 0, 0, 0, 0, 1},
                           {2, 0, 0, 0, 0, 1, 1, 2}, {0, 2, 0, 0, 1, 0, 2, 1},
                           {0, 0, 1, 0, 1, 2, 0, 2}, {0, 0, 0, 1, 2, 1, 2, 0}};
  const auto t = preset("dgx1-v100");
  std::map<std::pair<std::string, std::string>, double> wires;
  for (const auto& link : t.links)
    if (link.kind == LinkKind::nvlink)
      wires[{t[link.from].name, t[link.to].name}] += link.bandwidth.gigabytes_per_second();
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c)
      EXPECT_DOUBLE_EQ((wires[{"gpu" + std::to_string(r), "gpu" + std::to_string(c)}]),
                       20 * links[r][c])
          << r << " " << c;
}

TEST(Systems, TrafficTakesTheFastWireWhereThereIsOne) {
  EXPECT_EQ(route(preset("dgx1-v100"), 0, 3), "gpu0 gpu3");
  EXPECT_EQ(route(preset("dgx1-v100"), 0, 5), "gpu0 pcie0 cpu0 cpu1 pcie2 gpu5");
  for (const auto* switched :
       {"dgx2-v100", "dgx-a100", "dgx-h100", "hgx-h200", "dgx-b200", "gb200-nvl72", "gb300-nvl72"})
    EXPECT_EQ(route(preset(switched), 0, 1), "gpu0 nvsw0 gpu1") << switched;
  EXPECT_EQ(route(preset("mi300x"), 2, 5), "gpu2 gpu5");
  EXPECT_EQ(route(preset("l40s-pcie"), 0, 1), "gpu0 pcie0 gpu1");
  EXPECT_EQ(route(preset("pcie-2socket"), 3, 4), "gpu3 pcie0 cpu0 cpu1 pcie1 gpu4");
}

TEST(Systems, WithoutPeerToPeerTransfersAreStagedInHostMemory) {
  EXPECT_EQ(route(preset("rtx4090-pcie"), 0, 1), "gpu0 cpu0 mem0 cpu0 gpu1");
  EXPECT_EQ(route(preset("rtx4090-pcie"), 0, 7), "gpu0 cpu0 mem0 cpu0 cpu1 gpu7");
  EXPECT_EQ(route(preset("v100-cloud-pair"), 0, 1), "gpu0 cpu0 mem0 cpu0 gpu1");
  EXPECT_EQ(route(preset("rtx3090-nvlink-pair"), 0, 1), "gpu0 gpu1");
}

TEST(Systems, UnknownNamesGetASuggestion) {
  const auto wrong = load_system("dgx-h10");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::request);
  EXPECT_THAT(wrong.error().message, HasSubstr("did you mean dgx-h100?"));
}

TEST(Networks, AreOrderedSoundAndFound) {
  for (const auto& network : networks()) {
    EXPECT_GT(network.bandwidth, Bandwidth{});
    EXPECT_GT(network.adapter, Duration{});
    EXPECT_EQ((*find_network(network.name))->name, network.name);
  }
  EXPECT_THAT(find_network("ndrr").error().message, HasSubstr("did you mean ndr?"));
  const auto rate = find_network("tcp100").error().message;
  EXPECT_THAT(rate, HasSubstr("tcp10 (TCP sockets, 10 Gb/s), tcp25"));
  EXPECT_THAT(rate, HasSubstr("tcp (TCP sockets, 100 Gb/s)"));
}

}  // namespace
}  // namespace ringside::sim
