// Both models on cases small enough to do by hand. 25 GB/s carries 1 MiB in 41,943,040 ps.

#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

constexpr Duration mib{41'943'040};

class BothModels : public testing::TestWithParam<NetworkModel> {
 protected:
  NetworkModel model() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Models, BothModels, testing::ValuesIn(both_models),
                         [](const auto& p) { return std::string(name(p.param)); });

Topology two_hops(Bandwidth first, Bandwidth second) {
  auto t = gpus(2);
  const auto sw = add_switch(t, "sw0");
  t.add(Link{{0}, sw, LinkKind::generic, first, 1_us});
  t.add(Link{sw, {1}, LinkKind::generic, second, 3_us});
  return t;
}

TEST_P(BothModels, OneTransferTakesAllLatenciesAndTheNarrowestWire) {
  for (const auto& [first, second] : {std::pair{25_GBps, 50_GBps}, {50_GBps, 25_GBps}}) {
    Told told(2, 1, 1_MiB);
    told->copy(input(0, 0), output(1, 0));
    const auto run = told.on(two_hops(first, second), model());
    EXPECT_EQ(run.time, 4_us + mib);
    EXPECT_EQ(run.spans[0].begin, Duration{});
    EXPECT_EQ(run.links[0].bytes, 1_MiB);
    EXPECT_EQ(run.links[1].busy, wire_time(1_MiB, second));
    EXPECT_EQ(busiest(run).links, std::vector{first < second ? LinkId{0} : LinkId{1}});
  }
}

TEST_P(BothModels, TransfersOfOneConnectionFollowEachOther) {
  Told told(2, 3, 1_MiB);
  for (std::uint32_t c = 0; c < 3; ++c) told->copy(input(0, c), output(1, c));
  const auto run = told.on(two_hops(25_GBps, 25_GBps), model());
  for (std::int64_t c = 0; c < 3; ++c) {
    EXPECT_EQ(run.spans[c].begin, c * mib);
    EXPECT_EQ(run.spans[c].commit, 4_us + (c + 1) * mib);
  }
}

TEST_P(BothModels, ZeroBytesCostLatencyOnly) {
  Told told(2, 1, 0_B);
  told->copy(input(0, 0), output(1, 0));
  const auto run = told.on(two_hops(25_GBps, 25_GBps), model());
  EXPECT_EQ(run.time, 4_us);
  EXPECT_EQ(busiest(run).links.size(), 0u);
}

TEST_P(BothModels, AWriteWaitsForTheReadOfWhatItOverwrites) {
  // 0 -> 1 overwrites a slot that 1 -> 0 is still reading: both in one step, an exchange.
  Told told(2, 2, 1_MiB);
  told->copy(input(1, 0), output(1, 0));
  told->next_step();
  told->copy(output(1, 0), output(0, 1));  // slow: the wire back is a tenth
  told->copy(input(0, 0), output(1, 0));   // fast
  auto t = two_hops(25_GBps, 25_GBps);
  t.add(Link{{1}, {2}, LinkKind::generic, {2'500'000'000}, 1_us});
  t.add(Link{{2}, {0}, LinkKind::generic, 25_GBps, 1_us});
  const auto run = told.on(t, model());
  EXPECT_EQ(run.spans[1].read, 10 * mib);
  EXPECT_EQ(run.spans[2].arrival, 4_us + mib);
  EXPECT_EQ(run.spans[2].commit, 10 * mib);
}

TEST_P(BothModels, LocalTransfersAreFreeUnlessMemoryIsStated) {
  Told told(2, 4, 1_MiB);
  for (std::uint32_t c = 0; c < 4; ++c) told->copy(input(0, c), output(0, c));
  auto t = two_hops(25_GBps, 25_GBps);
  EXPECT_EQ(told.on(t, model()).time, Duration{});
  t.devices[0].memory = 25_GBps;
  EXPECT_EQ(told.on(t, model()).time, 4 * mib);
}

TEST_P(BothModels, AStragglerNeitherSendsNorCommits) {
  Told told(2, 2, 1_MiB);
  told->copy(input(0, 0), output(1, 0));
  told->copy(input(1, 1), output(0, 1));
  auto t = two_hops(25_GBps, 25_GBps);
  t.add(Link{{1}, {2}, LinkKind::generic, 25_GBps, 3_us});
  t.add(Link{{2}, {0}, LinkKind::generic, 25_GBps, 1_us});
  const auto run = told.on(t, model(), {.start = {{}, 100_us}});
  EXPECT_EQ(run.spans[0].commit, 100_us);
  EXPECT_EQ(run.spans[1].begin, 100_us);
  EXPECT_EQ(run.time, 104_us + mib);
}

TEST_P(BothModels, JitterStretchesWireTimesWithinItsBoundByTheSeedAlone) {
  const auto schedule = story(CollectiveKind::all_reduce, "ring", 8);
  const auto t = shape(ShapeKind::ring, 8);
  const auto simulator = need(Simulator::prepare(schedule, t));
  const auto payload = bytes(schedule, 8_MiB);
  const auto at = [&](std::uint64_t seed) {
    return need(simulator.run(payload, model(), {.jitter = 0.5, .jitter_seed = seed}));
  };
  const auto calm = need(simulator.run(payload, model()));
  const auto one = at(1), again = at(1), two = at(2);
  EXPECT_EQ(one.time, again.time);
  EXPECT_NE(one.time, two.time);
  Duration shortest = forever, longest{};
  for (const auto& span : one.spans) {
    shortest = std::min(shortest, span.read - span.begin);
    longest = std::max(longest, span.read - span.begin);
  }
  EXPECT_GE(shortest, mib);
  EXPECT_LT(shortest, mib + 2_us);  // of 112 draws, one is near each end
  EXPECT_GT(longest, mib + 18_us);
  EXPECT_LE(longest.picoseconds, mib.picoseconds * 3 / 2 + 1);
  EXPECT_GT(one.time, calm.time);
}

TEST(Stream, AWireServesInToldOrder) {
  // Rank 0's wire is slow: what was told later but is ready earlier waits behind it at the port.
  Told told(3, 2, 1_MiB);
  told->copy(input(0, 0), output(2, 0));
  told->copy(input(1, 1), output(2, 1));
  auto t = gpus(3);
  const auto sw = add_switch(t, "sw0");
  t.add(Link{{0}, sw, LinkKind::generic, {2'500'000'000}, 1_us});
  t.add(Link{{1}, sw, LinkKind::generic, 25_GBps, 1_us});
  t.add(Link{sw, {2}, LinkKind::generic, 25_GBps, 1_us});
  const auto run = told.on(t, NetworkModel::stream);
  EXPECT_EQ(run.spans[0].commit, 2_us + 10 * mib);
  EXPECT_EQ(run.spans[1].read, mib);
  EXPECT_EQ(run.spans[1].commit, 2_us + 11 * mib);
  // Fair sharing lets it pass: it only shares the port with a trickle.
  EXPECT_LT(told.on(t, NetworkModel::flow).spans[1].commit, 2_us + 2 * mib);
}

TEST(Simulate, RefusesInOneSentence) {
  const auto schedule = story(CollectiveKind::all_reduce, "ring", 4);
  const auto small = shape(ShapeKind::ring, 3), right = shape(ShapeKind::ring, 4);
  const auto message = [&](const Topology& t, const Payload& p, const Disturbance& d = {}) {
    const auto run = simulate(schedule, p, t, NetworkModel::flow, d);
    return run ? std::string("no error") : run.error().message;
  };
  EXPECT_NE(message(small, {4}).find("3 ranks, but 4 take part"), std::string::npos);
  EXPECT_NE(message(right, {UINT64_MAX}).find("bytes a rank"), std::string::npos);
  EXPECT_NE(message(right, {std::uint64_t{1} << 53}).find("53 days"), std::string::npos);
  EXPECT_NE(message(right, {4}, {.start = {{-1}}}).find("never early"), std::string::npos);
  EXPECT_NE(message(right, {4}, {.start = std::vector<Duration>(5)}).find("4 take part"),
            std::string::npos);
  EXPECT_NE(message(right, {4}, {.jitter = -1}).find("jitter"), std::string::npos);
  auto broken = right;
  broken.links[0].bandwidth = {};
  EXPECT_NE(message(broken, {4}).find("no bandwidth"), std::string::npos);
}

}  // namespace
}  // namespace ringside::sim
