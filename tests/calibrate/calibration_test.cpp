#include "gpu/calibrate/calibration.hpp"

#include <gmock/gmock.h>

#include <set>

#include "gpu/calibrate/fit.hpp"
#include "sim/backend.hpp"
#include "tests/sim/bench.hpp"
#include "viz/terminal/measured_machine.hpp"

// A simulated machine is one whose figures are known: what is measured on it must be those.

namespace ringside::calibrate {
namespace {

using sim::need;
using sim::NetworkModel;
using sim::ShapeKind;
using sim::Topology;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Calibration measure(const Topology& topology, Plan plan = {}) {
  plan.ranks = static_cast<std::uint32_t>(topology.ranks.size());
  if (topology.nodes > 1)
    for (const DeviceId device : topology.ranks) plan.node_of.push_back(topology[device].node);
  const auto backend = sim::make_backend(topology, NetworkModel::flow);
  return need(calibrate(*backend, plan, [](std::uint64_t) {}));
}

/// A star whose port `slow` is four times as slow, both ways.
Topology star(std::uint32_t ranks, std::uint32_t slow) {
  auto t = sim::shape(ShapeKind::star, ranks);
  for (auto& link : t.links)
    if (link.from == t.ranks[slow] || link.to == t.ranks[slow])
      link.bandwidth.bytes_per_second /= 4;
  return t;
}

TEST(Rounds, LetEverybodyMeetEverybodyOnce) {
  for (std::uint32_t n = 1; n <= 33; ++n) {
    std::set<std::set<std::uint32_t>> met;
    for (const auto& round : rounds(n)) {
      std::set<std::uint32_t> busy;
      for (const auto& [a, b] : round) {
        EXPECT_TRUE(busy.insert(a.value).second && busy.insert(b.value).second) << n;
        EXPECT_LT(std::max(a.value, b.value), n);
        EXPECT_TRUE(met.insert({a.value, b.value}).second) << n;
      }
      EXPECT_EQ(round.size(), n / 2) << n;
    }
    EXPECT_EQ(met.size(), n * (n - 1) / 2) << n;
  }
}

TEST(Calibration, FindsWhatASimulatedMachineIsMadeOf) {
  for (const std::uint32_t n : {2u, 3u, 4u, 7u}) {
    const auto measured = measure(sim::shape(ShapeKind::star, n));
    ASSERT_EQ(measured.figures.size(), std::size_t{n} * (n - 1));
    EXPECT_EQ(measured.unclear, 0u);
    for (const auto& f : measured.figures) {
      EXPECT_NEAR(f.latency.microseconds(), 2, 1e-3);  // two hops of 1 us, and one byte
      EXPECT_NEAR(f.alone.gigabytes_per_second(), 25, 1e-3);
      EXPECT_NEAR(f.together.gigabytes_per_second(), 25, 1e-3);
      EXPECT_EQ(f.spread, 0);
    }
    const auto ports = need(fit(measured));
    EXPECT_EQ(ports.middle.bytes_per_second, 0u) << "a star has no narrow middle";
    for (const auto& port : ports.ranks) {
      EXPECT_NEAR(port.latency.microseconds(), 1, 1e-3);
      EXPECT_EQ(port.duplex.bytes_per_second, 0u) << "a star's ports carry both ways at full speed";
    }
    EXPECT_THAT(outliers(measured, ports, 0.01), IsEmpty());
  }
}

TEST(Calibration, NamesThePortThatIsSlow) {
  const auto measured = measure(star(5, 3));
  EXPECT_THAT(outliers(measured, need(fit(measured)), 0.2),
              ElementsAre("rank 3 sends 75 % below its peers (6.25 GB/s of 25 GB/s)",
                          "rank 3 receives 75 % below its peers (6.25 GB/s of 25 GB/s)"));
}

TEST(Calibration, NamesThePairThatIsSlow) {
  auto mesh = sim::shape(ShapeKind::mesh, 4);
  mesh.links[need(find_links(mesh, "gpu2->gpu0")).front().value].bandwidth = 10_GBps;
  const auto measured = measure(mesh);
  EXPECT_THAT(outliers(measured, need(fit(measured)), 0.2),
              ElementsAre("rank 2 -> rank 0: 60 % below what their ports carry (10 GB/s of 25 "
                          "GB/s)"));
}

TEST(Calibration, SeesThatAllTogetherShareAMiddle) {
  auto tree = need(sim::make_shape(
      {.kind = ShapeKind::fattree, .ranks = 4, .dims = {1}, .oversubscription = 2}));
  // Every leaf's uplink carries half of what its one rank sends.
  const auto ports = need(fit(measure(tree)));
  for (const auto& port : ports.ranks) EXPECT_NEAR(port.out.gigabytes_per_second(), 12.5, 1e-3);
  auto narrow = sim::shape(ShapeKind::star, 4);
  const auto sw = need(find_device(narrow, "sw0"));
  const auto out =
      narrow.add({.name = "sw1", .kind = sim::DeviceKind::network_switch, .forwards = true});
  for (auto& link : narrow.links)
    if (link.from == sw) link.from = out;
  narrow.add({.from = sw, .to = out, .bandwidth = 30_GBps, .latency = {}});
  EXPECT_NEAR(need(fit(measure(narrow))).middle.gigabytes_per_second(), 30, 1e-3);
}

TEST(Calibration, BlamesNoMiddleThatOnePairAloneHasPassed) {
  auto measured = measure(star(4, 1));
  // The narrow port is slower still when it is used both ways, and the slowest of a round counts.
  for (auto& f : measured.figures) f.together = 3_GBps;
  EXPECT_EQ(need(fit(measured)).middle.bytes_per_second, 0u);
}

/// The whole way round: a machine, measured, written down, predicts what the machine does.
TEST(Calibration, PredictsWhatItMeasured) {
  const auto real = star(4, 1);
  const auto copy = terminal::machine_of(need(fit(measure(real))), "copy", "a copy").topology;
  for (const auto* name : {"ring", "star", "binomial_tree", "halving_doubling"}) {
    const auto schedule = sim::story(CollectiveKind::all_reduce, name, 4);
    const auto there = need(simulate(schedule, {4u << 20}, real, NetworkModel::flow)).time;
    const auto here = need(simulate(schedule, {4u << 20}, copy, NetworkModel::flow)).time;
    EXPECT_NEAR(here.microseconds(), there.microseconds(), 0.001 * there.microseconds()) << name;
  }
}

/// A port may carry less both ways than one way twice: a bus, or acknowledgements that wait behind
/// data.
TEST(Calibration, SeesThatAPortsTwoWaysShareIt) {
  Ports half{.ranks = {3, {25_GBps, 25_GBps, {}, microseconds(1)}}, .middle = {}};
  half.ranks[1] = {10_GBps, 10_GBps, 12_GBps, microseconds(1)};
  const auto real =
      terminal::machine_of(half, "half", "a slow port, and slower both ways").topology;
  const auto measured = measure(real);
  const auto ports = need(fit(measured));
  EXPECT_EQ(ports.ranks[0].duplex.bytes_per_second, 0u);
  EXPECT_EQ(ports.ranks[2].duplex.bytes_per_second, 0u);
  EXPECT_NEAR(ports.ranks[1].duplex.gigabytes_per_second(), 12, 1e-3);
  EXPECT_EQ(ports.middle.bytes_per_second, 0u);
  const auto copy = terminal::machine_of(ports, "copy", "a copy").topology;
  for (const auto* name : {"ring", "star", "halving_doubling"}) {
    const auto schedule = sim::story(CollectiveKind::all_reduce, name, 3);
    const auto there = need(simulate(schedule, {4u << 20}, real, NetworkModel::flow)).time;
    const auto here = need(simulate(schedule, {4u << 20}, copy, NetworkModel::flow)).time;
    EXPECT_NEAR(here.microseconds(), there.microseconds(), 0.001 * there.microseconds()) << name;
  }
}

/// Three nodes of 3, 2 and 1 ranks; the second one's way to the others is half as wide.
Topology nodes() {
  Ports ports{.ranks = {6, {50_GBps, 50_GBps, {}, nanoseconds(500)}},
              .middle = {},
              .nodes = {3, {10_GBps, 10_GBps, {}, microseconds(3)}},
              .node_of = {0, 0, 0, 1, 1, 2}};
  ports.nodes[1].out = 5_GBps;
  return terminal::machine_of(ports, "nodes", "three nodes").topology;
}

TEST(Calibration, KnowsPairsInsideANodeFromPairsBetweenNodes) {
  const auto measured = measure(nodes());
  EXPECT_TRUE(measured.has_classes());
  const auto ports = need(fit(measured));
  ASSERT_EQ(ports.nodes.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_NEAR(ports.nodes[n].out.gigabytes_per_second(), n == 1 ? 5 : 10, 1e-3) << n;
    EXPECT_NEAR(ports.nodes[n].in.gigabytes_per_second(), 10, 1e-3) << n;
    EXPECT_NEAR(ports.nodes[n].latency.microseconds(), 3, 1e-2) << n;
  }
  for (const auto& port : ports.ranks) {
    EXPECT_NEAR(port.out.gigabytes_per_second(), 50, 1e-2);
    EXPECT_NEAR(port.latency.microseconds(), 0.5, 1e-2);
  }
  EXPECT_THAT(outliers(measured, ports, 0.1), IsEmpty()) << "a pair is held against its own class";
  const auto copy = terminal::machine_of(ports, "copy", "a copy").topology;
  EXPECT_EQ(copy.nodes, 3u);
  for (const auto* name : {"ring", "star", "binomial_tree"}) {
    const auto schedule = sim::story(CollectiveKind::all_reduce, name, 6);
    const auto there = need(simulate(schedule, {4u << 20}, nodes(), NetworkModel::flow)).time;
    const auto here = need(simulate(schedule, {4u << 20}, copy, NetworkModel::flow)).time;
    EXPECT_NEAR(here.microseconds(), there.microseconds(), 0.002 * there.microseconds()) << name;
  }
}

/// Several messages at once may find a node's port wider than one alone.
TEST(Calibration, ANodesPortCarriesWhatItsRanksSendTogether) {
  auto measured = measure(nodes());
  for (auto& f : measured.figures)
    if (!measured.is_inside(f.pair)) f.alone = f.together = 4_GBps;
  const auto ports = need(fit(measured));
  EXPECT_NEAR(ports.nodes[0].out.gigabytes_per_second(), 12, 1e-3) << "of three ranks";
  EXPECT_NEAR(ports.nodes[2].out.gigabytes_per_second(), 4, 1e-3) << "of one";
}

TEST(Outliers, AreHeldAgainstTheirClass) {
  auto measured = measure(nodes());
  for (auto& f : measured.figures)
    if (f.pair == Pair{{0}, {5}}) f.alone = 7_GBps;
  EXPECT_THAT(outliers(measured, need(fit(measured)), 0.2),
              ElementsAre("rank 0 -> rank 5: 30 % below what their ports carry (7 GB/s of 10 "
                          "GB/s)"));
}

TEST(Calibration, StopsWhenItsTimeIsSpent) {
  const auto measured = measure(sim::shape(ShapeKind::star, 6), {.budget = {}});
  EXPECT_THAT(measured.figures, IsEmpty());
  EXPECT_EQ(measured.pairs, 30u);
  const auto ports = fit(measured);
  ASSERT_FALSE(ports);
  EXPECT_THAT(ports.error().message, HasSubstr("--budget"));
}

TEST(Calibration, ExpectsNoMoreThanToleranceAllows) {
  const auto measured = measure(star(4, 2));
  const auto expected = sim::shape(ShapeKind::star, 4);
  EXPECT_THAT(need(terminal::shortfalls(measured, star(4, 2), 0.01)).beyond_noise, IsEmpty());
  const auto found = need(terminal::shortfalls(measured, expected, 0.1)).beyond_noise;
  ASSERT_EQ(found.size(), 6u);  // to and from rank 2
  EXPECT_EQ(found.front(), "rank 0 -> rank 2: 75 % below what star carries (6.25 GB/s of 25 GB/s)");
  auto late = expected;
  for (auto& link : late.links) link.latency = nanoseconds(500);
  const auto latencies = need(terminal::shortfalls(measured, late, 0.9)).beyond_noise;
  EXPECT_EQ(latencies.size(), 12u);
  EXPECT_THAT(latencies.front(), HasSubstr("latency 100 % above that of star (2 us against 1 us)"));
  EXPECT_FALSE(terminal::shortfalls(measured, sim::shape(ShapeKind::star, 3), 0.1));
}

/// What falls short by less than its own samples differ may be the machine's noise: said, but no
/// failure. Only what falls short by more is one.
TEST(Calibration, ForgivesWhatNoiseExplains) {
  const auto expected = sim::shape(ShapeKind::star, 4);
  auto measured = measure(star(4, 2));  // a quarter of the bandwidth to and from rank 2
  for (auto& f : measured.figures) f.spread = 2.9, f.latency_spread = 0.9;
  EXPECT_EQ(need(terminal::shortfalls(measured, expected, 0.1)).beyond_noise.size(), 6u);
  for (auto& f : measured.figures) f.spread = 3.1;
  const auto found = need(terminal::shortfalls(measured, expected, 0.1));
  EXPECT_THAT(found.beyond_noise, IsEmpty());
  EXPECT_EQ(found.within_noise.size(), 6u);
  auto late = expected;
  for (auto& link : late.links) link.latency = nanoseconds(500);  // half of what was measured
  EXPECT_EQ(need(terminal::shortfalls(measured, late, 0.1)).beyond_noise.size(), 12u);
  for (auto& f : measured.figures) f.latency_spread = 1.1;
  EXPECT_THAT(need(terminal::shortfalls(measured, late, 0.1)).beyond_noise, IsEmpty());
}

/// Where time ran out, pairs through the same ports share their figures.
TEST(Calibration, GivesPairsNobodyMeasuredTheFiguresOfTheirPorts) {
  const auto real = star(6, 3);
  auto measured = measure(real);
  std::erase_if(measured.figures, [](const PairFigures& f) {  // but for two neighbours each way
    const auto distance = (f.pair.to.value + 6 - f.pair.from.value) % 6;
    return distance != 1 && distance != 2;
  });
  const auto copy = terminal::machine_of(need(fit(measured)), "copy", "a copy").topology;
  const auto again = measure(copy);
  ASSERT_EQ(again.figures.size(), 30u);
  for (const auto& f : again.figures) {
    const bool slow = f.pair.from == Rank{3} || f.pair.to == Rank{3};
    EXPECT_NEAR(f.alone.gigabytes_per_second(), slow ? 6.25 : 25, 1e-2);
    EXPECT_NEAR(f.latency.microseconds(), 2, 1e-2);
  }
}

TEST(Outliers, AreNoneWhereNobodyHasThreePeers) {
  for (const std::uint32_t n : {2u, 3u}) {
    const auto measured = measure(star(n, 0));
    EXPECT_THAT(outliers(measured, need(fit(measured)), 0.2), IsEmpty()) << n;
  }
}

TEST(Outliers, AreNoneThatTheSpreadExplains) {
  auto measured = measure(star(5, 3));
  for (auto& f : measured.figures) f.spread = 0.19;
  EXPECT_EQ(outliers(measured, need(fit(measured)), 0.2).size(), 2u);
  for (auto& f : measured.figures) f.spread = 0.21;
  EXPECT_THAT(outliers(measured, need(fit(measured)), 0.2), IsEmpty());
  auto mesh = sim::shape(ShapeKind::mesh, 4);
  mesh.links[need(find_links(mesh, "gpu2->gpu0")).front().value].bandwidth = 10_GBps;
  auto one = measure(mesh);
  for (auto& f : one.figures)
    if (f.pair == Pair{{2}, {0}}) f.spread = 1.6;  // 40 % of the bandwidth is at 1.5
  EXPECT_THAT(outliers(one, need(fit(one)), 0.2), IsEmpty());
}

TEST(Calibration, KnowsItsMemoryBefore) {
  EXPECT_EQ(memory_of({.message = 1_MiB}, 4), Bytes{(4 * 8 + 2) << 20});
  EXPECT_EQ(memory_of({.message = Bytes{UINT64_MAX}}, 4), Bytes{INT64_MAX});
}

TEST(Noise, IsSaidWhereSamplesDiffer) {
  Calibration measured{.ranks = 2};
  EXPECT_EQ(noise(measured, 0.2), "");
  measured.figures = {{.spread = 0.1}, {.spread = 0.5}, {.spread = 0.6}};
  EXPECT_THAT(noise(measured, 0.2), HasSubstr("50 %"));
  EXPECT_EQ(noise(measured, 0.5), "");
}

}  // namespace
}  // namespace ringside::calibrate
