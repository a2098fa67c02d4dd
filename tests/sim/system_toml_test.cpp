#include "sim/system_toml.hpp"

#include <gmock/gmock.h>

#include "core/file.hpp"
#include "sim/shapes.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;

const std::string pair = R"(name = "pair"
[kinds.nvlink]
bandwidth = "25GB/s"
latency = "0.5us"
[[devices]]
name = "gpu0..1"
kind = "gpu"
[[links]]
kind = "nvlink"
width = 2
join = ["gpu0", "gpu1"]
)";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

System read(std::string_view text) {
  auto system = read_system(text, "t.toml");
  EXPECT_TRUE(system) << (system ? "" : system.error().message);
  return system ? *system : System{};
}

std::string refusal(std::string_view text) {
  const auto system = read_system(text, "t.toml");
  return system ? "(read)" : system.error().message;
}

std::string names(const Topology& t) {
  std::string all;
  for (std::uint32_t i = 0; i < t.links.size(); ++i) all += t.link_name(LinkId{i}) + " ";
  return all;
}

void expect_equal(const System& a, const System& b) {
  const auto &s = a.topology, &t = b.topology;
  EXPECT_EQ(a.summary, b.summary);
  EXPECT_EQ(a.aliases, b.aliases);
  EXPECT_EQ(a.network, b.network);
  EXPECT_EQ(a.shared_by, b.shared_by);
  EXPECT_EQ(a.shared, b.shared);
  EXPECT_EQ(s.name, t.name);
  EXPECT_EQ(s.ranks, t.ranks);
  EXPECT_EQ(s.nodes, t.nodes);
  EXPECT_EQ(s.peer_to_peer, t.peer_to_peer);
  EXPECT_EQ(s.assumed, t.assumed);
  ASSERT_EQ(s.devices.size(), t.devices.size());
  for (std::size_t i = 0; i < s.devices.size(); ++i) {
    EXPECT_EQ(s.devices[i].name, t.devices[i].name);
    EXPECT_EQ(s.devices[i].kind, t.devices[i].kind);
    EXPECT_EQ(s.devices[i].node, t.devices[i].node);
    EXPECT_EQ(s.devices[i].forwards, t.devices[i].forwards);
    EXPECT_EQ(s.devices[i].memory, t.devices[i].memory);
    EXPECT_EQ(s.devices[i].nvls, t.devices[i].nvls);
    EXPECT_EQ(s.devices[i].sharp, t.devices[i].sharp);
  }
  ASSERT_EQ(s.links.size(), t.links.size());
  for (std::size_t i = 0; i < s.links.size(); ++i) {
    EXPECT_EQ(s.links[i].from, t.links[i].from);
    EXPECT_EQ(s.links[i].to, t.links[i].to);
    EXPECT_EQ(s.links[i].kind, t.links[i].kind);
    EXPECT_EQ(s.links[i].bandwidth, t.links[i].bandwidth);
    EXPECT_EQ(s.links[i].latency, t.links[i].latency);
  }
}

TEST(SystemToml, WidthMultipliesTheKindsBandwidth) {
  const auto t = read(pair).topology;
  EXPECT_EQ(names(t), "gpu0->gpu1 gpu1->gpu0 ");
  EXPECT_EQ(t.links[0].bandwidth, 50_GBps);
  EXPECT_EQ(t.links[0].latency, 500_ns);
  EXPECT_EQ(t.ranks.size(), 2u);
}

TEST(SystemToml, JoinSharesTheLongerSideOutEvenly) {
  const auto four = replaced(pair, "gpu0..1", "gpu0..3");
  const auto joined = [&](std::string_view join) {
    return names(read(replaced(four + "[[devices]]\nname = \"sw0..1\"\nkind = \"pcie_switch\"\n",
                               R"(["gpu0", "gpu1"])", join))
                     .topology);
  };
  EXPECT_EQ(joined(R"(["gpu0..3", "sw0..1"])"),
            "gpu0->sw0 sw0->gpu0 gpu1->sw0 sw0->gpu1 gpu2->sw1 sw1->gpu2 gpu3->sw1 sw1->gpu3 ");
  EXPECT_EQ(joined(R"(["sw0..1", "gpu0..3"])"),
            "sw0->gpu0 gpu0->sw0 sw0->gpu1 gpu1->sw0 sw1->gpu2 gpu2->sw1 sw1->gpu3 gpu3->sw1 ");
  EXPECT_EQ(joined(R"([["gpu0", "sw1"], ["gpu3", "sw0"]])"),
            "gpu0->sw1 sw1->gpu0 gpu3->sw0 sw0->gpu3 ");
  EXPECT_EQ(joined(R"(["gpu0..1", "gpu2..3"])"), "gpu0->gpu2 gpu2->gpu0 gpu1->gpu3 gpu3->gpu1 ");
}

TEST(SystemToml, TheExampleOfTheDocumentationIsOne) {
  const auto page = *read_file(RINGSIDE_SOURCE_DIR "/docs/systems.md");
  const auto begin = page.find("```toml\n") + 8;
  const auto t = read(page.substr(begin, page.find("```", begin) - begin)).topology;
  EXPECT_EQ(t.ranks.size(), 4u);
  EXPECT_EQ(t.links.size(), 2u * (2 + 4 + 2 + 2));
  EXPECT_EQ(t.links[0].bandwidth, 40_GBps);
  EXPECT_EQ(t.link_name(LinkId{8}), "gpu2->pcie1");
}

TEST(SystemToml, MeshAndDirectedLinks) {
  EXPECT_EQ(read(replaced(replaced(pair, "gpu0..1", "gpu0..4"), R"(join = ["gpu0", "gpu1"])",
                          R"(mesh = "gpu0..4")"))
                .topology.links.size(),
            20u);
  EXPECT_EQ(
      names(read(replaced(pair, R"(join = ["gpu0", "gpu1"])", "from = \"gpu1\"\nto = \"gpu0\""))
                .topology),
      "gpu1->gpu0 ");
}

TEST(SystemToml, ASwitchReducesAsItsKeysSay) {
  for (const bool nvls : {false, true})
    for (const bool sharp : {false, true}) {
      const System told = read(pair + "[[devices]]\nname = \"sw0\"\nkind = \"network_switch\"\n" +
                               (nvls ? "nvls = true\n" : "") + (sharp ? "sharp = true\n" : ""));
      const Device& device = told.topology.devices.back();
      EXPECT_EQ(device.name, "sw0");
      EXPECT_EQ(device.nvls, nvls);
      EXPECT_EQ(device.sharp, sharp);
      expect_equal(told, read(write_system(told)));
    }
}

TEST(SystemToml, WhatIsWrittenReadsBackEqual) {
  for (const auto& system : list_systems()) {
    SCOPED_TRACE(system.topology.name);
    expect_equal(system, read(write_system(system)));
  }
  for (const auto shape : shape_names())
    for (const std::uint64_t ranks : {1, 2, 8, 16}) {
      SCOPED_TRACE(std::string(shape) + std::to_string(ranks));
      System system{.topology = *make_shape({.kind = *parse_shape(shape), .ranks = ranks})};
      system.topology.assumed = {"a \"quoted\" \\ line\nand another\ttab", ""};
      expect_equal(system, read(write_system(system)));
    }
}

TEST(SystemToml, FiguresAreWrittenExactly) {
  System system{.topology = *make_shape({.kind = ShapeKind::ring, .ranks = 2})};
  auto& link = system.topology.links[0];
  for (std::uint64_t base : {1ull, 7ull, 999'999'999ull, 1'000'000'000ull, 370'800'000'001ull,
                             (1ull << 50) - 1, 1ull << 50, 1ull << 53, 1ull << 61}) {
    link.bandwidth = {base};
    link.latency = {
        static_cast<std::int64_t>(std::min<std::uint64_t>(base, 1'000'000'000'000'000))};
    const auto back = read(write_system(system)).topology.links[0];
    EXPECT_EQ(back.bandwidth, link.bandwidth);
    EXPECT_EQ(back.latency, link.latency);
  }
}

TEST(SystemToml, ErrorsNameLineKeyAndWhatWasExpected) {
  EXPECT_EQ(refusal(replaced(pair, "25GB/s", "-3GB/s")).rfind("t.toml:3: ", 0), 0u);
  EXPECT_THAT(refusal(replaced(pair, "25GB/s", "nanGB/s")), HasSubstr("is not a bandwidth"));
  EXPECT_THAT(refusal(replaced(pair, "0.5us", "-1us")), HasSubstr("t.toml:4: "));
  EXPECT_THAT(refusal(replaced(pair, "0.5us", "99999s")), HasSubstr("too long"));
  EXPECT_THAT(refusal(replaced(pair, "\"25GB/s\"", "25")),
              HasSubstr("such as bandwidth = \"25GB/s\""));
  EXPECT_THAT(refusal(replaced(pair, "latency", "latencey")), HasSubstr("did you mean latency?"));
  EXPECT_THAT(refusal(replaced(pair, "kinds.nvlink", "kinds.nvlnk")),
              HasSubstr("did you mean nvlink?"));
  EXPECT_THAT(refusal(replaced(pair, "bandwidth = \"25GB/s\"", "")),
              HasSubstr("has no bandwidth: say it here or under [kinds.nvlink]"));
  EXPECT_THAT(refusal(replaced(pair, "\"gpu1\"]", "\"gpu2\"]")), HasSubstr("t.toml:11: "));
  EXPECT_THAT(refusal(replaced(pair, "\"gpu1\"]", "\"gpu0\"]")), HasSubstr("joined to itself"));
  EXPECT_THAT(refusal(replaced(pair, "[\"gpu0\", \"gpu1\"]", "3")),
              HasSubstr("join is two devices"));
  EXPECT_THAT(refusal(replaced(pair, "width = 2", "width = 0")), HasSubstr("from 1 to"));
  EXPECT_THAT(refusal(replaced(pair, "width = 2", "width = 2\nmesh = \"gpu0..1\"")),
              HasSubstr("one of three ways"));
  EXPECT_THAT(refusal(replaced(pair, "name = \"pair\"", "")), HasSubstr("name is missing"));
  EXPECT_THAT(refusal(replaced(pair, "name = \"pair\"", "name = \"pair\"\nnetwork = \"ndrr\"")),
              HasSubstr("t.toml:2: "));
  EXPECT_THAT(refusal(replaced(pair, "kind = \"gpu\"", "kind = \"cpu\"")), HasSubstr("no gpu"));
  EXPECT_THAT(refusal(pair + "[[devices]]\nname = \"gpu1\"\nkind = \"gpu\"\n"),
              HasSubstr("two devices gpu1"));
  EXPECT_THAT(refusal(replaced(pair, "kind = \"gpu\"", "kind = \"gpu\"\nsharp = true")),
              HasSubstr("only a device of kind nvswitch or network_switch reduces"));
  EXPECT_THAT(refusal("name = "), HasSubstr("t.toml:1: this is not TOML"));
  EXPECT_THAT(refusal(""), HasSubstr("name is missing"));
}

TEST(SystemToml, TruncatedAnywhereItIsAnErrorOrASmallerSystem) {
  const auto whole = std::string(system_texts()[0].toml);
  for (std::size_t n = 0; n < whole.size(); n += 3) {
    const auto system = read_system(std::string_view(whole).substr(0, n), "t.toml");
    EXPECT_TRUE(!system || check(system->topology)) << n;
  }
}

TEST(SystemToml, HostileTextIsRefusedQuickly) {
  EXPECT_THAT(refusal(replaced(pair, "gpu0..1", "gpu0..1000000000")), HasSubstr("too long"));
  EXPECT_THAT(refusal(replaced(pair, "gpu0..1", "gpu0..99999999999")), HasSubstr("no device name"));
  EXPECT_THAT(refusal(replaced(pair, "gpu0..1", "gpu7..1")), HasSubstr("backwards"));
  EXPECT_THAT(refusal(replaced(replaced(pair, "gpu0..1", "gpu0..65000"),
                               R"(join = ["gpu0", "gpu1"])", R"(mesh = "gpu0..65000")")),
              HasSubstr("links at most"));
  std::string many = pair;
  for (int i = 0; i < 20; ++i)
    many += "[[devices]]\nname = \"c" + std::to_string(i) + "x0..9999\"\nkind = \"cpu\"\n";
  EXPECT_THAT(refusal(many), HasSubstr("devices at most"));
  EXPECT_THAT(refusal("a = " + std::string(100'000, '[')), HasSubstr("nested too deep"));
  std::string tables = "a = ";
  for (int i = 0; i < 100'000; ++i) tables += "{a = ";
  EXPECT_THAT(refusal(tables), HasSubstr("nested too deep"));
  std::string dotted = "a";
  for (int i = 0; i < 50'000; ++i) dotted += ".a";
  EXPECT_THAT(refusal(dotted + " = 1"), HasSubstr("nested too deep"));
  EXPECT_THAT(refusal("[" + dotted + "]"), HasSubstr("nested too deep"));
  EXPECT_THAT(refusal("x = {a = \"\"\"\n\"\"\", " + dotted + " = 1}"),
              HasSubstr("nested too deep"));
  std::string keys;
  for (int i = 0; i < 100'000; ++i) keys += "k" + std::to_string(i) + " = 1\n";
  EXPECT_THAT(refusal(keys), HasSubstr("t.toml:1: there is no key \"k0\""));
  EXPECT_THAT(refusal("x = \"...........\"\nname = 1"), HasSubstr("key \"x\""));
  EXPECT_THAT(refusal(std::string(9 << 20, ' ')), HasSubstr("too large"));
  EXPECT_THAT(refusal(std::string("name = \"a\0b\"", 12)), HasSubstr("t.toml:"));
  EXPECT_THAT(refusal("\xff\xfe\x00"), HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace ringside::sim
