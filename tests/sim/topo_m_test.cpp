#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/import.hpp"
#include "sim/import/topo_m.hpp"
#include "tests/sim/import_files.hpp"

namespace ringside::sim {
namespace {

using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Topology read(std::string_view text, const ImportOptions& options = {}) {
  return imported(text, "pasted", options);
}
std::string refusal(std::string_view text) {
  return refusal_of(text, "pasted");
}

/// Same wiring: devices, links, ranks.
bool alike(const Topology& a, const Topology& b) {
  if (a.devices.size() != b.devices.size() || a.links.size() != b.links.size()) return false;
  for (std::size_t i = 0; i < a.devices.size(); ++i)
    if (a.devices[i].name != b.devices[i].name || a.devices[i].kind != b.devices[i].kind)
      return false;
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    const Link &x = a.links[i], &y = b.links[i];
    if (x.from != y.from || x.to != y.to || x.bandwidth != y.bandwidth || x.latency != y.latency)
      return false;
  }
  return a.ranks == b.ranks;
}

constexpr std::string_view pairs =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tPIX\tSYS\tSYS\tPIX\t0-7\t0\t\tN/A\n"
    "GPU1\tPIX\t X \tSYS\tSYS\tPIX\t0-7\t0\t\tN/A\n"
    "GPU2\tSYS\tSYS\t X \tPHB\tSYS\t8-15\t1\t\tN/A\n"
    "GPU3\tSYS\tSYS\tPHB\t X \tSYS\t8-15\t1\t\tN/A\n"
    "NIC0\tPIX\tPIX\tSYS\tSYS\t X \t\t\t\n\nLegend:\n\n  X    = Self\n";

TEST(TopoM, EveryRealFileBecomesAMachine) {
  const auto files = real_files("topo_m");
  if (files.empty()) GTEST_SKIP() << "the folder of real inputs is not beside the repository";
  for (const auto& file : files) {
    const auto topology = import_topology(read_text(file), file.filename().string());
    if (file.filename().string().starts_with("27_")) {
      ASSERT_FALSE(topology);
      EXPECT_THAT(topology.error().message, HasSubstr("nvidia-smi topo -m"));
      continue;
    }
    ASSERT_TRUE(topology) << topology.error().message;
    EXPECT_TRUE(check(*topology));
    EXPECT_EQ(unreachable(*topology), "") << file;
    EXPECT_FALSE(topology->assumed.empty()) << file;
  }
}

TEST(TopoM, PixIsASwitchAndPhbACpu) {
  const Topology topology = read(pairs);
  EXPECT_EQ(topology.ranks.size(), 4u);
  EXPECT_EQ(count_of(topology, DeviceKind::pcie_switch), 1u);
  EXPECT_EQ(count_of(topology, DeviceKind::cpu), 2u);
  EXPECT_THAT(neighbours(topology, "gpu0"), ElementsAre("pcie0"));
  EXPECT_THAT(neighbours(topology, "nic0"), ElementsAre("pcie0"));
  EXPECT_THAT(neighbours(topology, "pcie0"), ElementsAre("cpu0", "gpu0", "gpu1", "nic0"));
  EXPECT_THAT(neighbours(topology, "gpu3"), ElementsAre("cpu1"));
}

TEST(TopoM, HostBridgesOfOneCpuAreKeptApart) {
  const Topology topology = read(
      "\tGPU0\tGPU1\tGPU2\tGPU3\n"
      "GPU0\tX\tPHB\tNODE\tNODE\nGPU1\tPHB\tX\tNODE\tNODE\n"
      "GPU2\tNODE\tNODE\tX\tPHB\nGPU3\tNODE\tNODE\tPHB\tX\n");
  EXPECT_THAT(neighbours(topology, "gpu0"), ElementsAre("hb0"));
  EXPECT_THAT(neighbours(topology, "gpu3"), ElementsAre("hb1"));
  EXPECT_THAT(neighbours(topology, "hb1"), ElementsAre("cpu0", "gpu2", "gpu3"));
}

TEST(TopoM, PxbIsASwitchAboveSwitches) {
  const Topology topology = read(
      "\tGPU0\tGPU1\tGPU2\tGPU3\n"
      "GPU0\tX\tPIX\tPXB\tPXB\nGPU1\tPIX\tX\tPXB\tPXB\n"
      "GPU2\tPXB\tPXB\tX\tPIX\nGPU3\tPXB\tPXB\tPIX\tX\n");
  EXPECT_THAT(neighbours(topology, "pcie0"), ElementsAre("cpu0", "pcie1", "pcie2"));
  EXPECT_THAT(neighbours(topology, "gpu2"), ElementsAre("pcie2"));
}

TEST(TopoM, PastingDoesNotMatter) {
  const Topology plain = read(pairs);
  std::string spaces(pairs), carriage, indented, quoted;
  std::replace(spaces.begin(), spaces.end(), '\t', ' ');
  for (const char c : pairs) {
    carriage += c == '\n' ? "\r\n" : std::string(1, c);
    indented += c == '\n' ? "\n        " : std::string(1, c);
    quoted += c == '\n' ? "\n> " : std::string(1, c);
  }
  EXPECT_TRUE(alike(plain, read(spaces)));
  EXPECT_TRUE(alike(plain, read(carriage)));
  EXPECT_TRUE(alike(plain, read("        " + indented)));
  EXPECT_TRUE(alike(plain, read("> " + quoted)));
  EXPECT_TRUE(alike(plain, read("$ nvidia-smi topo -m\n```\n" + std::string(pairs) + "```\n")));
  std::string ansi(pairs);
  ansi.replace(ansi.find("GPU0"), 4, "\x1b[4mGPU0");
  ansi.replace(ansi.find("GPU NUMA ID"), 11, "GPU NUMA ID\x1b[0m");
  EXPECT_TRUE(alike(plain, read(ansi)));
  std::erase(ansi, '\x1b');  // copied from a browser
  EXPECT_TRUE(alike(plain, read(ansi)));
}

TEST(TopoM, MarkdownKeepsEmptyCells) {
  const Topology topology = read(
      "|      | GPU0 | GPU1 | NIC0 | CPU Affinity | NUMA Affinity |\n"
      "|------|------|------|------|--------------|---------------|\n"
      "| **GPU0** | X   | PIX | PIX |      | 1 |\n"
      "| **GPU1** | PIX | X   |     | 8-15 | 1 |\n");
  EXPECT_THAT(neighbours(topology, "pcie0"), ElementsAre("cpu0", "gpu0", "gpu1", "nic0"));
}

TEST(TopoM, ColumnsWithoutRowsAndRowsCutShortAreMirrored) {
  const auto table = read_topo_table(
      "\tGPU0\tGPU1\tGPU2\tmlx5_3\tmlx5_0\nGPU0\tX\tNV4\tNV4\tPIX\tSYS\nGPU1\tNV4\tX\n", "pasted");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->at(2, 0), (Cell{Nearness::nvlink, 4}));
  EXPECT_EQ(table->at(2, 1), Cell{});
  EXPECT_EQ(table->at(3, 0).near, Nearness::pix);
  EXPECT_EQ(table->at(4, 0).near, Nearness::sys);
  EXPECT_EQ(table->notes.size(), 1u);
}

TEST(TopoM, ATriangleIsAlignedByItsX) {
  const auto upper = read_topo_table("GPU0 GPU1 GPU2\nGPU0 X NV1 NV2\nGPU1 X NV3\nGPU2 X\n", "p");
  ASSERT_TRUE(upper) << upper.error().message;
  EXPECT_EQ(upper->at(2, 1).links, 3u);
  EXPECT_EQ(upper->at(2, 0).links, 2u);
  const auto lower = read_topo_table("GPU0 GPU1 GPU2\nGPU0 X\nGPU1 NV1 X\nGPU2 NV2 NV3 X\n", "p");
  ASSERT_TRUE(lower) << lower.error().message;
  EXPECT_EQ(lower->cells, upper->cells);
}

TEST(TopoM, WrappedLinesAndLostHeaders) {
  const auto whole = read_topo_table("GPU0 GPU1 GPU2\nGPU0 X PIX SYS\nGPU1 PIX X SYS\n", "p");
  const auto wrapped = read_topo_table("GPU0 GPU1\nGPU2\nGPU0 X PIX\nSYS\nGPU1 PIX\nX SYS\n", "p");
  const auto headless = read_topo_table("GPU0 X PIX SYS\nGPU1 PIX X SYS\nGPU2 SYS SYS X\n", "p");
  ASSERT_TRUE(whole && wrapped && headless);
  EXPECT_EQ(whole->cells[1], wrapped->cells[1]);
  EXPECT_EQ(whole->cells, wrapped->cells);
  EXPECT_EQ(headless->at(0, 1).near, Nearness::pix);
}

TEST(TopoM, WhatIsLeftOutByHand) {
  const Topology topology = read(
      "        GPU0  GPU1  GPU2  GPU3  ...\nGPU0  X  NV12  NV12  NV12 ...\n...\n"
      "GPU3  NV12  NV12  NV12  X\n");
  EXPECT_EQ(topology.ranks.size(), 4u);
  EXPECT_EQ(count_of(topology, DeviceKind::nvswitch), 1u);
}

TEST(TopoM, PrefixesOfLaunchersAndLogs) {
  const Topology plain = read(pairs);
  for (const std::string prefix :
       {"[1,0]<stdout>:", "0: ", "[0] ", "2026-01-01 12:00:00 node-a: "}) {
    std::string text = prefix;
    for (const char c : pairs) text += c == '\n' ? "\n" + prefix : std::string(1, c);
    EXPECT_TRUE(alike(plain, read(text))) << prefix;
  }
}

TEST(TopoM, NicsNeedNoNumber) {
  EXPECT_TRUE(find_device(read("GPU0 bond_roce\nGPU0 X PIX\n"), "bond_roce"));
}

TEST(TopoM, SysOutweighsAffinityAndIsSaid) {
  const Topology topology =
      read("GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X SYS 0-7 0\nGPU1 SYS X 0-7 0\n");
  EXPECT_EQ(count_of(topology, DeviceKind::cpu), 2u);
  EXPECT_TRUE(assumes(topology, "the same affinity"));
}

TEST(TopoM, AffinitiesInEveryForm) {
  const auto affinity = [](std::string_view text) {
    const auto table = read_topo_table(text, "p");
    EXPECT_TRUE(table) << table.error().message;
    const auto& device = table->devices.at(0);
    return device.cpu_affinity + " | " + device.numa_affinity + " | " + device.gpu_numa_id;
  };
  const std::string head = "\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
  EXPECT_EQ(affinity(head + "GPU0\tX\t0-7,16-23\t0\t\tN/A\n"), "0-7,16-23 | 0 | ");
  EXPECT_EQ(affinity(head + "GPU0\tX\t\t1\t\tN/A\n"), " | 1 | ");
  EXPECT_EQ(affinity(head + "GPU0  X  0-71  0,5-11  4\n"), "0-71 | 0,5-11 | 4");
  EXPECT_EQ(affinity(head + "GPU0  X  1  N/A\n"), " | 1 | ");
  EXPECT_EQ(affinity("GPU0 CPU Affinity NUMA Affinity\nGPU0 X 0-7 N/A\n"), "0-7 |  | ");
  EXPECT_EQ(affinity("GPU0\nGPU0 X 0-15 NUMA 3\n"), "0-15 | 3 | ");
  EXPECT_EQ(affinity("GPU0 CPU Affinity\nGPU0 X 0-15\n"), "0-15 |  | ");
}

/// All-pairs NV`links` between `gpus`.
std::string all_pairs(std::uint32_t gpus, std::uint32_t links) {
  std::string header, rows;
  for (std::uint32_t a = 0; a < gpus; ++a) {
    header += "\tGPU" + std::to_string(a);
    rows += "GPU" + std::to_string(a);
    for (std::uint32_t b = 0; b < gpus; ++b)
      rows += a == b ? "\t X " : "\tNV" + std::to_string(links);
    rows += "\n";
  }
  return header + "\n" + rows;
}

TEST(TopoM, NvlinkGenerationFromTheNumberOfLinks) {
  struct Case {
    std::uint32_t gpus, links;
    bool nvswitch;
    double gigabytes;  // of one GPU, all its NVLinks
  };
  for (const Case& c : {Case{16, 6, true, 120},
                        {8, 12, true, 240},
                        {5, 12, true, 240},
                        {8, 18, true, 370.8},
                        {4, 18, true, 370.8},
                        {2, 18, true, 370.8},
                        {4, 6, false, 370.8},
                        {4, 4, false, 240},
                        {2, 4, false, 48},
                        {2, 12, false, 240},
                        {2, 2, false, 40},
                        {4, 1, false, 54}}) {
    const Topology topology = read(all_pairs(c.gpus, c.links));
    EXPECT_EQ(count_of(topology, DeviceKind::nvswitch), c.nvswitch ? 1u : 0u)
        << c.gpus << " x NV" << c.links;
    EXPECT_NEAR(gigabytes_out(topology, "gpu0", LinkKind::nvlink), c.gigabytes, 0.01)
        << c.gpus << " x NV" << c.links;
  }
  const auto reduces = [](const Topology& t) { return t[*find_device(t, "nvsw0")].nvls; };
  EXPECT_TRUE(reduces(read(all_pairs(8, 18))));
  EXPECT_FALSE(reduces(read(all_pairs(8, 12))));
  const Topology blackwell = read(all_pairs(8, 18), {.nvlink = 5});
  EXPECT_NEAR(gigabytes_out(blackwell, "gpu0", LinkKind::nvlink), 721.8, 0.01);
  EXPECT_TRUE(assumes(blackwell, "as asked"));
}

TEST(TopoM, NvlinkIslandsAreTheirOwn) {
  const Topology topology = read(
      "\tGPU0\tGPU1\tGPU2\tGPU3\n"
      "GPU0\tX\tNV12\tSYS\tSYS\nGPU1\tNV12\tX\tSYS\tSYS\n"
      "GPU2\tSYS\tSYS\tX\tNV12\nGPU3\tSYS\tSYS\tNV12\tX\n");
  EXPECT_EQ(count_of(topology, DeviceKind::nvswitch), 0u);
  EXPECT_THAT(neighbours(topology, "gpu0"), ElementsAre("gpu1", "cpu0"));
  EXPECT_THAT(neighbours(topology, "gpu2"), ElementsAre("gpu3", "cpu1"));
}

TEST(TopoM, NvlinkIsAddedOnlyWhenAsked) {
  EXPECT_EQ(gigabytes_out(read(pairs), "gpu0", LinkKind::nvlink), 0);
  const Topology topology = read(pairs, {.nvlink = 3});
  EXPECT_DOUBLE_EQ(gigabytes_out(topology, "gpu0", LinkKind::nvlink), 240);
  EXPECT_TRUE(assumes(topology, "NVLink 3 added as asked"));
}

TEST(TopoM, ALostSocketIsTheFirstThatFits) {
  const Topology topology =
      read("\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\tX\tNODE\tSYS\tSYS\nGPU1\tNODE\tX\tSYS\tSYS\n");
  EXPECT_EQ(count_of(topology, DeviceKind::cpu), 2u);
  EXPECT_THAT(neighbours(topology, "gpu3"), ElementsAre("cpu1"));
  EXPECT_TRUE(assumes(topology, "is not told"));
}

TEST(TopoM, NicsKeepTheirNames) {
  const Topology topology = read(
      "GPU0 NIC0 NIC1\nGPU0 X PIX SYS\nNIC0 PIX X SYS\nNIC1 SYS SYS X\n\nNIC Legend:\n\n"
      "  NIC0: mlx5_7\n");
  EXPECT_TRUE(find_device(topology, "mlx5_7"));
  EXPECT_TRUE(find_device(topology, "nic1"));
}

TEST(TopoM, RanksFollowTheGpusNumbers) {
  const Topology topology = read("GPU2 GPU0\nGPU2 X SYS\nGPU0 SYS X\n");
  ASSERT_EQ(topology.ranks.size(), 2u);
  EXPECT_EQ(topology[topology.ranks[0]].name, "gpu0");
  EXPECT_EQ(topology[topology.ranks[1]].name, "gpu2");
}

TEST(TopoM, DisagreeingCellsAreSaid) {
  EXPECT_TRUE(assumes(read("GPU0 GPU1\nGPU0 X PIX\nGPU1 SYS X\n"),
                      "GPU0 and GPU1 disagree, PIX and SYS; PIX was taken"));
  EXPECT_TRUE(assumes(read("GPU0 GPU1\nGPU0 X NV4\nGPU1 NV2 X\n"), "NV2 was taken, the fewer"));
}

/// A DGX-1 with V100s: a cube mesh of six NVLinks a GPU.
constexpr std::string_view cube_mesh =
    "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\n"
    "GPU0\tX\tNV1\tNV1\tNV2\tNV2\tSYS\tSYS\tSYS\t0-9\n"
    "GPU1\tNV1\tX\tNV2\tNV1\tSYS\tNV2\tSYS\tSYS\t0-9\n"
    "GPU2\tNV1\tNV2\tX\tNV2\tSYS\tSYS\tNV1\tSYS\t0-9\n"
    "GPU3\tNV2\tNV1\tNV2\tX\tSYS\tSYS\tSYS\tNV1\t0-9\n"
    "GPU4\tNV2\tSYS\tSYS\tSYS\tX\tNV1\tNV1\tNV2\t10-19\n"
    "GPU5\tSYS\tNV2\tSYS\tSYS\tNV1\tX\tNV2\tNV1\t10-19\n"
    "GPU6\tSYS\tSYS\tNV1\tSYS\tNV1\tNV2\tX\tNV2\t10-19\n"
    "GPU7\tSYS\tSYS\tSYS\tNV1\tNV2\tNV1\tNV2\tX\t10-19\n";

TEST(TopoM, NoOneWrongCellMakesAnotherMachine) {
  const Topology right = read(cube_mesh);
  std::size_t tried = 0;
  for (std::size_t at = 0; at + 2 < cube_mesh.size(); ++at) {
    const auto word = cube_mesh.substr(at, 3);
    if (word != "SYS" && word != "NV1" && word != "NV2") continue;
    for (const std::string_view slip : {"SYS", "NV1", "NV2", "NV4"}) {
      if (slip == word) continue;
      std::string text(cube_mesh);
      const Topology wrong = read(text.replace(at, 3, slip));
      EXPECT_TRUE(alike(right, wrong)) << word << " became " << slip << " at " << at;
      EXPECT_TRUE(assumes(wrong, "disagree"));
      ++tried;
    }
  }
  EXPECT_EQ(tried, 56u * 3);
}

TEST(TopoM, LostRowsAndCellsAreSaid) {
  const auto lines = [](std::string_view text, std::size_t count) {
    std::size_t end = 0;
    for (; count > 0; --count) end = text.find('\n', end) + 1;
    return text.substr(0, end);
  };
  const Topology half = read(lines(cube_mesh, 5));
  EXPECT_TRUE(assumes(half,
                      "no row for GPU4 to GPU7: what joins them to one another is unknown; taken "
                      "as PCIe"));
  EXPECT_FALSE(assumes(half, "no cell"));
  const Topology one_less = read(lines(cube_mesh, 8));
  EXPECT_TRUE(assumes(one_less, "no row for GPU7; its mirror cells were used"));
  EXPECT_FALSE(assumes(one_less, "taken as PCIe"));
  const auto seventh = cube_mesh.find("\nGPU6") + 1;
  const Topology cut = read(cube_mesh.substr(0, seventh + 30));
  EXPECT_TRUE(assumes(cut, "no cell says what joins GPU6 and GPU7; taken as PCIe"));
  const std::string equal = all_pairs(8, 12);
  const Topology switched = read(lines(equal, 4));
  EXPECT_EQ(count_of(switched, DeviceKind::nvswitch), 1u);
  EXPECT_TRUE(assumes(switched, "no row for GPU3 to GPU7"));
  EXPECT_TRUE(assumes(switched, "taken to be their NVSwitch"));
  EXPECT_FALSE(assumes(switched, "taken as PCIe"));
  EXPECT_FALSE(assumes(read(cube_mesh), "no row"));
}

TEST(TopoM, RefusalsSayWhatWasExpected) {
  EXPECT_THAT(refusal("\tGPU0\tGPU1\nGPU0\tX\tGNS\nGPU1\tGNS\tX\n"), HasSubstr("topo -p2p"));
  EXPECT_THAT(refusal("GPU0 GPU1\nGPU0 X FOO 0-7\n"), HasSubstr("`FOO` in the row of GPU0"));
  EXPECT_THAT(refusal("GPU0 GPU1\n"), HasSubstr("no rows"));
  EXPECT_THAT(refusal("GPU0 GPU0\nGPU0 X X\n"), HasSubstr("two columns are called GPU0"));
  EXPECT_THAT(refusal("GPU0 NIC0\nGPU0 X NV4\n"), HasSubstr("not both GPUs"));
  EXPECT_THAT(refusal("GPU0 GPU1\nGPU0 PIX X\n"), HasSubstr("X in column 2"));
  EXPECT_THAT(refusal("GPU0 GPU1\nGPU0 X NV1000000000 0-7\nGPU1 X\n"), HasSubstr("NV1000000000"));
  EXPECT_THAT(refusal("no such thing"), HasSubstr("neither"));
  EXPECT_THAT(refusal(""), HasSubstr("nothing in it"));
  EXPECT_THAT(refusal("GPU0\nGPU0 X\n"), "");
  EXPECT_FALSE(import_topology(pairs, "pasted", {.nvlink = 9}));
}

TEST(TopoM, AnyTruncationReadsOrRefuses) {
  for (std::size_t length = 0; length <= pairs.size(); ++length) {
    const auto topology = import_topology(pairs.substr(0, length), "cut");
    if (topology) {
      EXPECT_EQ(unreachable(*topology), "") << length;
    }
  }
}

}  // namespace
}  // namespace ringside::sim
