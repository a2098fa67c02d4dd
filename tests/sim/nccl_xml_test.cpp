#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/import.hpp"
#include "sim/import/nccl_xml.hpp"
#include "tests/sim/import_files.hpp"

namespace ringside::sim {
namespace {

using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Topology read(std::string_view text, const ImportOptions& options = {}) {
  return imported(text, "t.xml", options);
}
std::string refusal(std::string_view text) {
  return refusal_of(text, "t.xml");
}

/// <pci> with what NCCL_TOPO_FILE inputs say.
std::string pci(const std::string& busid, const std::string& code, const std::string& inside = "",
                const std::string& link = R"(link_speed="16 GT/s" link_width="16")") {
  return "<pci busid=\"" + busid + "\" class=\"" + code + "\" " + link + ">" + inside + "</pci>";
}
std::string gpu(std::uint32_t dev, const std::string& inside = "", std::uint32_t sm = 80) {
  const std::string n = std::to_string(dev);
  return pci("0000:0" + n + ":00.0", "0x030200",
             "<gpu dev=\"" + n + "\" sm=\"" + std::to_string(sm) + "\" rank=\"" + n + "\">" +
                 inside + "</gpu>");
}
std::string cpu(const std::string& inside, const std::string& more = "") {
  return "<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\" " + more + ">" + inside +
         "</cpu>";
}
std::string system(const std::string& inside) {
  return "<system>" + inside + "</system>";
}

TEST(NcclXml, EveryRealFileBecomesAMachine) {
  const auto files = real_files("nccl_topo_xml");
  if (files.empty()) GTEST_SKIP() << "the folder of real inputs is not beside the repository";
  for (const auto& file : files)
    for (const std::uint32_t nvlink : {0u, 2u, 4u}) {
      const auto topology =
          import_topology(read_text(file), file.filename().string(), {.nvlink = nvlink});
      ASSERT_TRUE(topology) << topology.error().message;
      EXPECT_TRUE(check(*topology));
      EXPECT_EQ(unreachable(*topology), "") << file;
      EXPECT_FALSE(topology->assumed.empty()) << file;
    }
}

TEST(NcclXml, NvswitchesAreOneAndLinksAddUp) {
  const std::string links = R"(<nvlink target="0000:1c:00.0" count="5" tclass="0x068000"/>)"
                            R"(<nvlink target="0000:1b:00.0" count="4" tclass="0x068000"/>)";
  const Topology topology = read(system(cpu(gpu(0, links, 90) + gpu(1, links, 90))));
  EXPECT_EQ(count_of(topology, DeviceKind::nvswitch), 1u);
  EXPECT_NEAR(gigabytes_out(topology, "gpu0", LinkKind::nvlink), 9 * 20.6, 1e-6);
  const auto reduces = [&](std::uint32_t sm) {
    const Topology t = read(system(cpu(gpu(0, links, sm) + gpu(1, links, sm))));
    return t[*find_device(t, "nvsw0")].nvls;
  };
  EXPECT_FALSE(reduces(80)) << "an A100's NVSwitch passes on";
  EXPECT_TRUE(reduces(90)) << "an H100's reduces";
  EXPECT_TRUE(assumes(topology, "drawn as one"));
}

TEST(NcclXml, NvlinkBetweenGpusIsToldFromBothEndsButCountedOnce) {
  const Topology topology =
      read(system(cpu(gpu(0, R"(<nvlink target="0000:01:00.0" count="4" tclass="0x030200"/>)") +
                      gpu(1, R"(<nvlink target="0000:00:00.0" count="4" tclass="0x030200"/>)"))));
  EXPECT_DOUBLE_EQ(gigabytes_out(topology, "gpu0", LinkKind::nvlink), 80);
  EXPECT_DOUBLE_EQ(gigabytes_out(topology, "gpu1", LinkKind::nvlink), 80);
  EXPECT_THAT(neighbours(topology, "gpu0"), ElementsAre("cpu0", "gpu1"));
}

TEST(NcclXml, LinksThatLeadNowhereAreSaid) {
  const Topology topology =
      read(system(cpu(gpu(0, R"(<nvlink target="0000:00:00.0" count="12" tclass="0x030200"/>)") +
                      gpu(1, R"(<nvlink target="0000:77:00.0" count="12" tclass="0x030200"/>)"))));
  EXPECT_TRUE(assumes(topology, "join a GPU to itself"));
  EXPECT_TRUE(assumes(topology, "not in the file"));
  EXPECT_TRUE(assumes(topology, "names no NVLink between GPUs"));
  EXPECT_EQ(gigabytes_out(topology, "gpu0", LinkKind::nvlink), 0);
}

TEST(NcclXml, XgmiJoinsAmdGpus) {
  const auto amd = [](const std::string& n, const std::string& other) {
    return pci("0000:" + n + ":00.0", "0x120000",
               "<gpu dev=\"" + n + "\" gcn=\"gfx942\" rank=\"" + n + "\"><xgmi target=\"0000:" +
                   other + ":00.0\" count=\"1\" tclass=\"0x120000\"/></gpu>");
  };
  const Topology topology = read(system(cpu(amd("1", "2") + amd("2", "1"))));
  EXPECT_DOUBLE_EQ(gigabytes_out(topology, "gpu0", LinkKind::xgmi), 48);
  EXPECT_FALSE(assumes(topology, "no NVLink"));
}

TEST(NcclXml, PcieRatesAreNccls) {
  struct Case {
    std::string link;
    double gigabytes;
  };
  for (const auto& [link, rate] : {Case{R"(link_speed="8 GT/s" link_width="16")", 12},
                                   {R"(link_speed="16 GT/s" link_width="16")", 24},
                                   {R"(link_speed="16.0 GT/s PCIe" link_width="8")", 12},
                                   {R"(link_speed="32 GT/s PCIe/s" link_width="16")", 48},
                                   {R"(link_speed="64 GT/s" link_width="16")", 96},
                                   {R"(link_speed="5.0 GT/s PCIe" link_width="16")", 6},
                                   {R"(link_speed="2.5 GT/s" link_width="1")", 0.1875},
                                   {R"(link_speed="" link_width="0")", 12},
                                   {R"(link_speed="Unknown" link_width="16")", 12},
                                   {"", 12}}) {
    const Topology topology = read(system(cpu(pci("0:1", "0x030200", "", link))));
    EXPECT_DOUBLE_EQ(gigabytes_out(topology, "gpu0", LinkKind::pcie), rate) << link;
    EXPECT_EQ(assumes(topology, "as NCCL does"), rate == 12 && link.find("8") == link.npos) << link;
  }
}

TEST(NcclXml, GpusByClassAreNumberedByBusId) {
  const Topology topology =
      read(system(cpu(pci("ffff:ff:01.0", "0x060400",
                          pci("0003:00:00.0", "0x030200") + pci("0103:00:00.0", "0x020700")) +
                      pci("ffff:ff:02.0", "0x060400",
                          pci("0001:00:00.0", "0x030200") + pci("0101:00:00.0", "0x020000")))));
  EXPECT_EQ(topology.ranks.size(), 2u);
  EXPECT_EQ(count_of(topology, DeviceKind::nic), 2u);
  EXPECT_THAT(neighbours(topology, "gpu1"), ElementsAre("pcie0"));
  EXPECT_THAT(neighbours(topology, "pcie0"), ElementsAre("cpu0", "gpu1", "nic0"));
  EXPECT_TRUE(assumes(topology, "numbered by bus id"));
}

TEST(NcclXml, WithoutClassesLeavesAreGpus) {
  const Topology topology =
      read(R"(<system><cpu numaid="0"><pci busid="b"/><pci busid="a"/></cpu></system>)");
  EXPECT_EQ(topology.ranks.size(), 2u);
  EXPECT_TRUE(assumes(topology, "all 2 PCI devices"));
}

TEST(NcclXml, AConsolesGraphicsChipIsNoGpu) {
  const Topology topology = read(system(
      cpu(pci("0:1", "0x030200") + R"(<pci busid="0:2" class="0x030000" vendor="0x1a03"/>)")));
  EXPECT_EQ(topology.ranks.size(), 1u);
}

TEST(NcclXml, BridgesWithOneThingBelowArePassedOver) {
  const Topology topology = read(system(
      cpu(pci("0:1", "0x060400",
              pci("0:2", "0x060400", gpu(0), R"(link_speed="8 GT/s" link_width="16")") + gpu(1)) +
          pci("0:9", "0x060400", pci("0:a", "0x010802")))));  // a disk
  EXPECT_EQ(count_of(topology, DeviceKind::pcie_switch), 1u);
  EXPECT_THAT(neighbours(topology, "pcie0"), ElementsAre("cpu0", "gpu0", "gpu1"));
  EXPECT_DOUBLE_EQ(gigabytes_out(topology, "gpu0", LinkKind::pcie), 12);  // its bridge's
}

TEST(NcclXml, NvlinkIsAddedOnlyWhenAsked) {
  std::string gpus;
  for (int i = 0; i < 8; ++i) gpus += pci("0:" + std::to_string(i), "0x030200");
  EXPECT_EQ(gigabytes_out(read(system(cpu(gpus))), "gpu0", LinkKind::nvlink), 0);
  const Topology hopper = read(system(cpu(gpus)), {.nvlink = 4});
  EXPECT_NEAR(gigabytes_out(hopper, "gpu0", LinkKind::nvlink), 370.8, 1e-6);
  EXPECT_EQ(count_of(hopper, DeviceKind::nvswitch), 1u);
  const auto reduces = [](const Topology& t) { return t[*find_device(t, "nvsw0")].nvls; };
  EXPECT_TRUE(reduces(hopper));
  EXPECT_FALSE(reduces(read(system(cpu(gpus)), {.nvlink = 3})));
  const Topology volta = read(system(cpu(gpus)), {.nvlink = 2});
  for (const auto* name : {"gpu0", "gpu3", "gpu7"})
    EXPECT_DOUBLE_EQ(gigabytes_out(volta, name, LinkKind::nvlink), 120);
  EXPECT_TRUE(assumes(volta, "cube mesh"));
}

TEST(NcclXml, SocketsAreJoinedAtTheirCpusRate) {
  const auto rate = [](const std::string& vendor, const std::string& model) {
    const std::string attributes =
        " arch=\"x86_64\" vendor=\"" + vendor + "\" familyid=\"6\"" + " modelid=\"" + model + "\">";
    return gigabytes_out(read("<system><cpu numaid=\"0\"" + attributes + gpu(0) +
                              "</cpu><cpu numaid=\"1\"" + attributes + gpu(1) + "</cpu></system>"),
                         "cpu0", LinkKind::socket);
  };
  EXPECT_DOUBLE_EQ(rate("GenuineIntel", "79"), 6);
  EXPECT_DOUBLE_EQ(rate("GenuineIntel", "85"), 10);
  EXPECT_DOUBLE_EQ(rate("GenuineIntel", "0x8f"), 22);
  EXPECT_DOUBLE_EQ(rate("GenuineIntel", "207"), 40);
  EXPECT_DOUBLE_EQ(rate("AuthenticAMD", "1"), 16);
  EXPECT_DOUBLE_EQ(rate("", ""), 10);
}

TEST(NcclXml, NicsAreNamedByTheirPorts) {
  const std::string nic = pci("0:9", "0x020700",
                              "<nic><net name=\"mlx5_2\" speed=\"200000\"/>"
                              "<net name=\"mlx5_3\" speed=\"200000\"/></nic>");
  const Topology both = read(system(cpu(gpu(0) + nic + "<nic><net name=\"veth0\"/></nic>")));
  EXPECT_EQ(count_of(both, DeviceKind::nic), 1u);
  EXPECT_TRUE(find_device(both, "mlx5_2"));
  EXPECT_TRUE(assumes(both, "(veth0) without PCI device was left out"));
  const Topology lone =
      read(system(cpu(gpu(0) + "<nic><net name=\"eth->0\" speed=\"100000\"/></nic>")));
  EXPECT_DOUBLE_EQ(gigabytes_out(lone, "eth-_0", LinkKind::pcie), 12.5);
}

TEST(NcclXml, GraceSitsBesideItsGpu) {
  const Topology topology =
      read(system(cpu(gpu(0, R"(<c2c bw="44712" count="10"/>)", 90) + gpu(1, "", 90))));
  EXPECT_NEAR(gigabytes_out(topology, "gpu0", LinkKind::c2c), 447.12, 1e-6);
}

TEST(NcclXml, HostsOfOneNvlinkDomainAreNodes) {
  const std::string fabric = R"(<nvlink target="fffffff:ffff:ff" count="18" tclass="0x068000"/>)";
  const auto host = [&](const std::string& hash, std::uint32_t dev) {
    return cpu(gpu(dev, fabric, 100), "host_hash=\"" + hash + "\"");
  };
  const Topology topology = read(system(host("0xa", 0) + host("0xb", 1)));
  EXPECT_EQ(topology.nodes, 2u);
  EXPECT_TRUE(find_device(topology, "node1.gpu0"));
  EXPECT_EQ(count_of(topology, DeviceKind::nvswitch), 1u);
}

TEST(NcclXml, CommentsDeclarationsAndWhatIsNotUnderstood) {
  const Topology topology = read("\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- said -->\n" +
                                 system(cpu(gpu(0) + "<!-- GPU 0 --><future/>")));
  EXPECT_EQ(topology.ranks.size(), 1u);
  EXPECT_TRUE(assumes(topology, "<future>"));
}

TEST(NcclXml, RefusalsSayWhatWasExpected) {
  EXPECT_THAT(refusal("<system>\n<cpu>\n<pci"), HasSubstr("t.xml:3: this XML is broken"));
  EXPECT_THAT(refusal("<graphs/>"), HasSubstr("NCCL_TOPO_DUMP_FILE"));
  EXPECT_THAT(refusal("<algo/>"), HasSubstr("schedule check"));
  EXPECT_THAT(refusal("<html/>"), HasSubstr("<system>, not <html>"));
  EXPECT_THAT(refusal("<system/>"), HasSubstr("no GPU in it"));
  EXPECT_THAT(refusal(system(cpu(pci("0:1", "0x030200", "", R"(link_width="-1")")))),
              HasSubstr("link_width=\"-1\""));
  EXPECT_THAT(refusal(system(cpu(pci("0:1", "0x030200", "", R"(link_width="NaN")")))),
              HasSubstr("0 to 32 lanes"));
  EXPECT_THAT(refusal(system(cpu(gpu(0, R"(<nvlink target="x" count="1000000000"/>)")))),
              HasSubstr("1 to 64 links"));
}

TEST(NcclXml, HostileInputIsRefusedAtOnce) {
  std::string deep, bomb = "<!DOCTYPE s [<!ENTITY a \"aaaaaaaaaa\">";
  for (int i = 0; i < 100'000; ++i) deep += "<pci>";
  EXPECT_THAT(refusal("<system><cpu>" + deep + "</cpu></system>"), HasSubstr("broken or cut off"));
  std::string closed = deep;
  for (int i = 0; i < 100'000; ++i) closed += "</pci>";
  EXPECT_THAT(refusal("<system><cpu>" + closed + "</cpu></system>"), HasSubstr("nested more than"));
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "<pci/>";
  EXPECT_THAT(refusal("<system><cpu>" + many + "</cpu></system>"), HasSubstr("more than 4096"));
  for (char c = 'b'; c < 'k'; ++c) {
    const std::string last = "&" + std::string(1, static_cast<char>(c - 1)) + ";";
    bomb += "<!ENTITY " + std::string(1, c) + " \"" + last + last + last + last + "\">";
  }
  EXPECT_THAT(refusal(bomb + "]><system><cpu vendor=\"&j;\"/></system>"), HasSubstr("no GPU"));
}

TEST(NcclXml, AnyTruncationReadsOrRefuses) {
  const std::string text =
      system(cpu(pci("0:1", "0x060400", gpu(0) + gpu(1)) + "<nic><net name=\"e\"/></nic>"));
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(import_topology(text.substr(0, length), "cut")) << length;
}

}  // namespace
}  // namespace ringside::sim
