// What NCCL would show: closed forms, and properties that hold whatever the figures.

#include "sim/tuner.hpp"

#include <gmock/gmock.h>

#include "sim/cluster.hpp"
#include "sim/shapes.hpp"
#include "sim/tuner/figures.hpp"
#include "sim/tuner/nccl_cost_model.hpp"

namespace ringside::sim {
namespace {

using ::testing::HasSubstr;

Platform h100(std::uint32_t nodes = 1) {
  return {.generation = "hopper",
          .nodes = nodes,
          .per_node = 8,
          .gpu_bandwidth = {370'800'000'000},
          .in_switch = true,
          .network = nodes > 1 ? "ib" : "",
          .nics = nodes > 1 ? 8u : 0,
          .nic_bandwidth = 50_GBps};
}

Platform platform_of_preset(const std::string& name, std::uint32_t nodes = 1,
                            const std::string& net = "") {
  const auto system = load_system(name);
  EXPECT_TRUE(system) << name;
  const auto cluster = make_cluster(*system, {.nodes = nodes, .net = net});
  EXPECT_TRUE(cluster);
  const std::string joined = nodes == 1 ? "" : net.empty() ? system->network : net;
  const auto platform = platform_of(*cluster, joined);
  EXPECT_TRUE(platform) << name << ": " << platform.error().message;
  return *platform;
}

Tuner tuner_of(const Platform& platform) {
  auto tuner = Tuner::make(platform);
  EXPECT_TRUE(tuner) << tuner.error().message;
  return *std::move(tuner);
}

Estimate chosen(const Platform& platform, const Query& query) {
  const auto estimate = tuner_of(platform).choose(query);
  EXPECT_TRUE(estimate) << estimate.error().message;
  return *estimate;
}

/// Figures that make the arithmetic easy: 1 us a hop, no launch, no filling.
Figures plain() {
  Figures figures = built_in_figures();
  visit_all(figures, [](const std::string& where, FigureUnit unit, Figure& figure) {
    if (unit == FigureUnit::share) figure.value = 1;
    if (unit == FigureUnit::microseconds) figure.value = where.ends_with("fill") ? 0 : 1;
    if (where.ends_with(".hop")) figure.value = 1;
    if (where.ends_with(".launch") || where.ends_with(".launch_each")) figure.value = 0;
    if (where.ends_with("copy") || where.ends_with("ll_cap")) figure.value = 1e6;
  });
  return figures;
}

Duration time_of(const Platform& platform, const Query& query, Method method, Protocol protocol) {
  const Figures figures = plain();
  const auto tuner = Tuner::make(platform, figures);
  const auto all = tuner->all(query);
  for (const Estimate& one : *all)
    if (one.method == method && one.protocol == protocol) return one.time;
  ADD_FAILURE() << "no such method";
  return {};
}

TEST(Tuner, ARingIsHopsAndItsShareOfTheBytes) {
  Platform one = h100();
  one.gpu_bandwidth = 100_GBps;
  const Query query{CollectiveKind::all_reduce, 800'000'000_B};
  // 14 hops of 1 us; 2 * 7/8 of 800 MB at 100 GB/s.
  EXPECT_EQ(time_of(one, query, Method::ring, Protocol::simple), 14'014_us);
  EXPECT_EQ(time_of(one, query, Method::ring, Protocol::ll), 28'014_us) << "half is flags";
  const Query gather{CollectiveKind::all_gather, 800'000'000_B, true};
  EXPECT_EQ(time_of(one, gather, Method::ring, Protocol::simple), 7'007_us);
}

TEST(Tuner, WhereEachGpuHasANicOneRingOfEightSparesItsLinks) {
  Platform two = h100(2);
  two.gpu_bandwidth = 70_GBps;  // far below the NICs
  const Query query{CollectiveKind::all_gather, 1'600'000'000_B, true};
  // 15 hops; 15/16 of the bytes at 70 * 8/7 GB/s, and at 70 where two GPUs share a NIC.
  EXPECT_EQ(time_of(two, query, Method::ring, Protocol::simple), 18'765_us);
  two.nics = 4;
  EXPECT_NEAR(time_of(two, query, Method::ring, Protocol::simple).microseconds(), 15 + 1.5e9 / 70e3,
              1e-3);
}

TEST(Tuner, ATreeHasTwoChainsWithinNodesAndTwoHopsALevelAcross) {
  Platform four = h100(4);
  const Query nothing{CollectiveKind::all_reduce, 0_B};
  // Up and down: 7 hops within the node, 2 levels between four.
  EXPECT_EQ(time_of(four, nothing, Method::tree, Protocol::ll), 18_us);
  // A ring passes the network 2 * 3 times on its 62 steps.
  EXPECT_EQ(time_of(four, nothing, Method::ring, Protocol::ll), 62_us);
}

TEST(Tuner, FromThreeNodesOnATreesInnerNodesSendAllTwice) {
  const Query query{CollectiveKind::all_reduce, 4'000'000'000_B};
  Platform two = h100(2), four = h100(4);
  two.gpu_bandwidth = four.gpu_bandwidth = 10'000_GBps;
  const Duration hops_of_two = 16_us, hops_of_four = 18_us;  // 400 GB/s of NICs a node
  EXPECT_EQ(time_of(two, query, Method::tree, Protocol::simple), 10'000_us + hops_of_two);
  EXPECT_EQ(time_of(four, query, Method::tree, Protocol::simple), 20'000_us + hops_of_four);
}

Duration term(const Platform& platform, const Figures& figures, const Query& query,
              std::pair<Method, CostKind> wanted) {
  const auto all = Tuner::make(platform, figures)->all(query);
  for (const Estimate& one : *all)
    for (const Cost& cost : one.terms)
      if (one.method == wanted.first && one.protocol == Protocol::simple &&
          cost.kind == wanted.second)
        return cost.time;
  return {};
}

TEST(Tuner, ATreeFillsOnceForEachOfItsLevels) {
  Figures figures = plain();
  visit_all(figures, [](const std::string& where, FigureUnit, Figure& figure) {
    if (where == "ib.fill") figure.value = 10;
    if (where == "common.depth") figure.value = 1e6;  // as if no buffer bounded the pieces
  });
  const auto fill = [&](std::uint32_t nodes, Bytes bytes) {
    Platform platform = h100(nodes);
    platform.gpu_bandwidth = 10'000_GBps;
    return term(platform, figures, {CollectiveKind::all_reduce, bytes},
                {Method::tree, CostKind::fill})
        .microseconds();
  };
  // As long on the wire: half the bytes, at half the rate. 2 sqrt(h k T), of many pieces.
  EXPECT_NEAR(fill(4, 1_GiB) / fill(2, 2_GiB), std::sqrt(2), 0.02);
  EXPECT_NEAR(fill(16, 1_GiB) / fill(2, 2_GiB), 2, 0.05);
  // One piece is sent again at each level.
  EXPECT_NEAR(fill(16, 4_KiB) / fill(2, 8_KiB), 4, 0.05);
}

TEST(Tuner, ATreeOfSwitchesHasItsOwnNetworkHop) {
  const Figures figures = plain();
  const auto hops = [&](Method method) {
    return term(h100(4), figures, {CollectiveKind::all_reduce, 1_MiB}, {method, CostKind::net_hops})
        .microseconds();
  };
  EXPECT_NEAR(hops(Method::nvls_tree) / hops(Method::tree), 20.9 / 14, 0.01);
}

TEST(Tuner, TermsAddUpToThePicosecond) {
  for (const char* name : {"dgx-h100", "mi300x", "rtx4090-pcie", "dgx1-v100", "l40s-pcie"})
    for (std::uint64_t bytes = 1; bytes < 1ull << 36; bytes = bytes * 3 + 1) {
      const auto all =
          tuner_of(platform_of_preset(name)).all({CollectiveKind::all_reduce, {bytes}});
      for (const Estimate& one : *all) {
        Duration sum{};
        for (const Cost& cost : one.terms) {
          EXPECT_GT(cost.time, Duration{}) << name << " " << sim::name(cost.kind);
          sum += cost.time;
        }
        EXPECT_EQ(sum, one.time);
      }
    }
}

TEST(Tuner, MoreBytesNeverTakeLess) {
  for (const char* name : {"dgx-h100", "dgx2-v100", "mi300x", "pcie-2socket", "gb200-nvl72"})
    for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                            CollectiveKind::broadcast, CollectiveKind::all_to_all})
      for (const std::uint32_t nodes : {1u, 2u, 36u}) {
        const Platform platform = platform_of_preset(name, nodes, nodes > 1 ? "ndr" : "");
        const Tuner tuner = tuner_of(platform);
        Duration last{};
        for (std::uint64_t bytes = 1; bytes < 1ull << 38; bytes = bytes * 2 + bytes / 3 + 1) {
          const auto now = tuner.choose({kind, {bytes}});
          ASSERT_TRUE(now);
          EXPECT_GE(now->time, last) << name << " " << nodes << ": " << bytes;
          last = now->time;
        }
      }
}

TEST(Tuner, NothingBeatsTheLinks) {
  const Platform platform = h100();
  const Query query{CollectiveKind::all_gather, 1_GiB, true};
  const Duration least = wire_time({query.size.count / 8 * 7}, platform.gpu_bandwidth);
  const auto all = tuner_of(platform).all(query);
  for (const Estimate& one : *all) EXPECT_GT(one.time, least);
}

TEST(Tuner, SmallOnesTakeLLAndLargeOnesTheSwitch) {
  EXPECT_EQ(chosen(h100(), {CollectiveKind::all_reduce, 1_KiB}).protocol, Protocol::ll);
  // A published run on 8 H100 leaves LL for NVLS between 64 KiB and 1 MiB.
  EXPECT_NE(chosen(h100(), {CollectiveKind::all_reduce, 64_KiB}).method, Method::nvls);
  EXPECT_EQ(chosen(h100(), {CollectiveKind::all_reduce, 1_MiB}).method, Method::nvls);
  EXPECT_EQ(chosen(h100(2), {CollectiveKind::all_reduce, 1_GiB}).method, Method::nvls_tree);
  EXPECT_EQ(chosen(platform_of_preset("dgx-a100"), {CollectiveKind::all_reduce, 1_GiB}).protocol,
            Protocol::simple);
}

// Three figures of published nccl-tests runs, busbw in GB/s: NVIDIA/nccl-tests#309 and others.
TEST(Tuner, PeaksAreAsPublished) {
  const auto busbw = [](const Platform& platform) {
    const Query query{CollectiveKind::all_reduce, 8_GiB};
    return 8.589934592e9 * busbw_factor(query.collective, platform.ranks()) /
           chosen(platform, query).time.seconds() * 1e-9;
  };
  EXPECT_NEAR(busbw(h100(2)), 468, 0.1 * 468);
  EXPECT_NEAR(busbw(platform_of_preset("dgx-a100")), 235, 0.1 * 235);
  EXPECT_NEAR(busbw(platform_of_preset("mi300x")), 316, 0.1 * 316);
}

TEST(Tuner, OneProcessForAllGpusStartsSlower) {
  Platform one = h100();
  const Query query{CollectiveKind::all_reduce, 8_B};
  const Duration apart = chosen(one, query).time;
  one.one_process = true;
  EXPECT_GT(chosen(one, query).time, apart + 10_us);
}

TEST(Tuner, OutOfPlaceAGatherCopiesItsOwnBlock) {
  const Tuner tuner = tuner_of(h100());
  const auto out = tuner.choose({CollectiveKind::all_gather, 1_GiB, false});
  const auto in = tuner.choose({CollectiveKind::all_gather, 1_GiB, true});
  EXPECT_GT(out->time, in->time);
}

TEST(Tuner, AProtocolAskedForIsTheOne) {
  const Tuner tuner = tuner_of(h100());
  for (const auto protocol : {Protocol::simple, Protocol::ll, Protocol::ll128})
    EXPECT_EQ(tuner.choose({CollectiveKind::all_reduce, 1_MiB}, protocol)->protocol, protocol);
  const Tuner pcie = tuner_of(platform_of_preset("l40s-pcie"));
  const auto refused = pcie.choose({CollectiveKind::all_reduce, 1_MiB}, Protocol::ll128);
  ASSERT_FALSE(refused) << "LL128 needs NVLink";
  EXPECT_THAT(refused.error().message, HasSubstr("LL128"));
}

TEST(Tuner, WhatNcclHasNotIsRefused) {
  const Tuner tuner = tuner_of(h100());
  EXPECT_THAT(tuner.all({CollectiveKind::barrier, 8_B}).error().message, HasSubstr("no barrier"));
  EXPECT_FALSE(tuner.all({CollectiveKind::all_reduce, {1ull << 60}}));
}

TEST(Platform, TheAbsurdIsRefused) {
  const auto says = [](const Platform& platform) {
    const auto tuner = Tuner::make(platform);
    return tuner ? std::string("taken") : tuner.error().message;
  };
  Platform p = h100();
  p.per_node = 0;
  EXPECT_THAT(says(p), HasSubstr("at least one"));
  p = h100();
  p.nodes = 1u << 31;
  EXPECT_THAT(says(p), HasSubstr("2^20"));
  p = h100();
  p.gpu_bandwidth = {};
  EXPECT_THAT(says(p), HasSubstr("bandwidth above 0"));
  p = h100(2);
  p.nics = 0;
  EXPECT_THAT(says(p), HasSubstr("NICs"));
  p = h100(2);
  p.network = "carrier-pigeon";
  EXPECT_THAT(says(p), HasSubstr("carrier-pigeon"));
  p = h100();
  p.generation = "hoper";
  EXPECT_THAT(says(p), HasSubstr("did you mean hopper?"));
  p = h100(3);
  p.nodes_per_domain = 2;
  EXPECT_THAT(says(p), HasSubstr("do not fill"));
}

TEST(Platform, PresetsAreWhatTheyAre) {
  EXPECT_EQ(platform_of_preset("dgx-a100").generation, "ampere");
  EXPECT_EQ(platform_of_preset("mi300x").wire, Wire::xgmi);
  EXPECT_EQ(platform_of_preset("rtx4090-pcie").wire, Wire::host);
  const Platform racks = platform_of_preset("gb200-nvl72", 36);
  EXPECT_EQ(racks.domains(), 2u);
  EXPECT_EQ(racks.domain_size(), 72u);
  const Platform two = platform_of_preset("dgx-h100", 2);
  EXPECT_EQ(two.network, "ib");
  EXPECT_EQ(two.nics, 8u);
  EXPECT_EQ(two.nic_bandwidth, 50_GBps);
  EXPECT_TRUE(two.in_switch);
}

TEST(Platform, RacksThatAreNotFullAreTakenForEven) {
  EXPECT_EQ(evenly(20, 18), 10u);
  EXPECT_EQ(evenly(36, 18), 18u);
  EXPECT_EQ(evenly(7, 18), 7u);
  EXPECT_EQ(platform_of_preset("gb200-nvl72", 20).domains(), 2u);
  EXPECT_FALSE(platform_of(Description{.hardware = "GB200", .nodes = 0, .per_node = 4}));
}

TEST(Platform, AShapeIsNone) {
  const auto ring = make_shape({.ranks = 8});
  const auto refused = platform_of(*ring, "");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("bare wires"));
}

TEST(Platform, WordsOfLogsAreUnderstood) {
  const auto one = platform_of({.hardware = "NVIDIA H100 80GB HBM3",
                                .nodes = 2,
                                .per_node = 8,
                                .interconnect = "NVSwitch3 NV18 + 32x 100 Gb/s EFA"});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->network, "efa");
  EXPECT_EQ(one->nics, 32u);
  EXPECT_EQ(one->nic_bandwidth, Bandwidth{12'500'000'000});
  const auto cards = platform_of({.hardware = "Tesla T4", .per_node = 2});
  EXPECT_EQ(cards->wire, Wire::pcie);
  const auto a100 = platform_of({.hardware = "NVIDIA A100-SXM4-80GB", .per_node = 8});
  EXPECT_EQ(a100->wire, Wire::nvlink) << "an A10 is a card, an A100 is none";
  EXPECT_EQ(a100->gpu_bandwidth, 240_GBps);
  EXPECT_FALSE(platform_of({.hardware = "abacus"}));
}

TEST(Platform, BridgesJoinPairsOfCards) {
  const auto cards = [](const char* hardware, std::uint32_t many, const char* words) {
    return *platform_of({.hardware = hardware, .per_node = many, .interconnect = words});
  };
  const Platform pair = cards("A100-PCIE-80GB", 2, "NVLink bridge NV12");
  EXPECT_EQ(pair.wire, Wire::nvlink);
  EXPECT_EQ(pair.gpu_bandwidth, 208_GBps);
  EXPECT_EQ(cards("NVIDIA H100 PCIe", 2, "NV12").gpu_bandwidth, 116_GBps);
  EXPECT_FALSE(cards("NVIDIA H100 PCIe", 2, "NV12").in_switch);
  EXPECT_EQ(cards("A100-PCIE-80GB", 4, "NVLink bridge NV12").wire, Wire::pcie);
  EXPECT_EQ(cards("RTX 3090", 2, "NV4").gpu_bandwidth, 48_GBps) << "slower links";
}

TEST(Yardsticks, NcclsOwnModelIsAsItsSourceSays) {
  // One node of A100, 12 channels of 20 GB/s: 6.8 + 14 x 0.6 us for a tree's hops at 1 KiB, whose
  // bytes take 1024 / (min(240 / 3.8, 87.7) x 0.9 / 2) ns of a rate cut to 0.9 at that size.
  const Platform a100{.generation = "ampere", .per_node = 8, .gpu_bandwidth = 240_GBps};
  const auto time = nccl_cost_model(a100, {CollectiveKind::all_reduce, 1_KiB});
  EXPECT_NEAR(time->microseconds(), 15.0 + 1024 / (0.5 * 87.7 * 4 / 7 * 1e3), 0.1);
  const auto large = nccl_cost_model(a100, {CollectiveKind::all_reduce, 4_GiB});
  EXPECT_NEAR(large->microseconds(), 31'374, 32);
  const auto ring = alpha_beta_ring(a100, {CollectiveKind::all_reduce, 240'000'000_B});
  EXPECT_NEAR(ring->microseconds(), 1750 + 6.6 + 14 * 0.6, 0.01);
}

}  // namespace
}  // namespace ringside::sim
