// Shared links: hand-computed cases, and random ones against a small solver that shares no code.

#include <cmath>
#include <random>

#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

TEST(Contention, ThreeFlowsIntoOnePort) {
  Told told(4, 3, 1_MiB);
  for (std::uint32_t r = 0; r < 3; ++r) told->copy(input(r, 0), scratch(3, 3 * r), r + 1);
  const auto run = told.on(shape(ShapeKind::star, 4), NetworkModel::flow);
  EXPECT_NEAR(run.spans[0].commit.microseconds(), 127.83, 0.005);
  EXPECT_NEAR(run.spans[1].commit.microseconds(), 211.72, 0.005);
  EXPECT_NEAR(run.spans[2].commit.microseconds(), 253.66, 0.005);
}

/// Eight GPUs under each of two PCIe switches, one uplink each to the CPU between them.
Topology behind_one_uplink() {
  auto t = gpus(16);
  const auto cpu = add_switch(t, "cpu0", DeviceKind::cpu);
  for (std::uint32_t s = 0; s < 2; ++s) {
    const auto pcie = add_switch(t, "pcie" + std::to_string(s), DeviceKind::pcie_switch);
    t.join(pcie, cpu, LinkKind::pcie, 25_GBps, 1_us);
    for (std::uint32_t g = 0; g < 8; ++g) t.join({s * 8 + g}, pcie, LinkKind::pcie, 25_GBps, 1_us);
  }
  return t;
}

TEST(Contention, EightGpusBehindOneUplinkGetAnEighthEach) {
  const auto t = behind_one_uplink();
  Told told(16, 1, 8_MiB);
  for (std::uint32_t g = 0; g < 8; ++g) told->copy(input(g, 0), output(8 + g, 0));
  const auto alone = wire_time(8_MiB, 25_GBps);
  const auto fair = told.on(t, NetworkModel::flow), served = told.on(t, NetworkModel::stream);
  for (std::int64_t g = 0; g < 8; ++g) {
    EXPECT_EQ(fair.spans[g].commit, 4_us + 8 * alone);
    EXPECT_EQ(served.spans[g].commit, 4_us + (g + 1) * alone);  // one after the other
  }
  for (const auto* run : {&fair, &served}) {
    const auto most = busiest(*run);
    ASSERT_EQ(most.links.size(), 2u);
    EXPECT_EQ(t.link_name(most.links[0]), "pcie0->cpu0");
    EXPECT_EQ(t.link_name(most.links[1]), "cpu0->pcie1");
    EXPECT_DOUBLE_EQ(most.share, 8 * alone.seconds() / run->time.seconds());
    EXPECT_EQ(run->links[0].bytes, 64_MiB);
  }
}

TEST(Contention, ASwitchOfItsOwnIsNotSlowedByTheOther) {
  const auto t = behind_one_uplink();
  Told told(16, 1, 8_MiB);
  told->copy(input(0, 0), output(8, 0));   // across
  told->copy(input(1, 0), output(9, 0));   // across
  told->copy(input(2, 0), output(3, 0));   // inside
  told->copy(input(10, 0), output(8, 0));  // inside, into the port of the first
  const auto run = told.on(t, NetworkModel::flow);
  const auto alone = wire_time(8_MiB, 25_GBps);
  EXPECT_EQ(run.spans[2].commit, 2_us + alone);
  for (const auto id : {0u, 1u, 3u}) EXPECT_EQ(run.spans[id].read, 2 * alone);
}

TEST(Contention, WhatALimitedFlowLeavesGoesToTheOthers) {
  // Into one 25 GB/s port: a flow that comes over a 5 GB/s wire, and one that gets the other 20.
  Told told(3, 1, 1_MiB);
  told->copy(input(0, 0), scratch(2, 0));
  told->copy(input(1, 0), scratch(2, 1));
  auto t = shape(ShapeKind::star, 3);
  for (const auto id : need(find_links(t, "gpu0->sw0"))) t.links[id.value].bandwidth = 5_GBps;
  const auto run = told.on(t, NetworkModel::flow);
  EXPECT_EQ(run.spans[0].read, wire_time(1_MiB, 5_GBps));
  EXPECT_EQ(run.spans[1].read, wire_time(1_MiB, 20_GBps));
}

/// The independent solver: doubles, every rate anew at every event, all flows rise together until a
/// wire is full (progressive filling).
struct SmallFlow {
  std::vector<std::size_t> wires;
  double start, left, rate = 0, end = -1;
};

void fill(std::vector<SmallFlow*> rising, std::vector<double> capacity) {
  for (auto* f : rising) f->rate = 0;
  while (!rising.empty()) {
    std::vector<int> users(capacity.size());
    for (const auto* f : rising)
      for (const auto w : f->wires) ++users[w];
    double step = HUGE_VAL;
    for (std::size_t w = 0; w < capacity.size(); ++w)
      if (users[w] > 0) step = std::min(step, capacity[w] / users[w]);
    for (auto* f : rising) {
      f->rate += step;
      for (const auto w : f->wires) capacity[w] -= step;
    }
    std::erase_if(rising, [&](const SmallFlow* f) {
      return std::any_of(f->wires.begin(), f->wires.end(),
                         [&](auto w) { return capacity[w] <= 1e-3 * step; });
    });
  }
}

void solve(std::vector<SmallFlow>& flows, const std::vector<double>& capacity) {
  for (double now = 0;;) {
    std::vector<SmallFlow*> active;
    double next = HUGE_VAL;
    for (auto& f : flows) {
      if (f.start > now) next = std::min(next, f.start - now);
      if (f.start <= now && f.end < 0) active.push_back(&f);
    }
    fill(active, capacity);
    SmallFlow* first = nullptr;
    for (auto* f : active)
      if (f->left / f->rate < next) next = f->left / f->rate, first = f;
    if (next == HUGE_VAL) return;
    now += next;
    for (auto* f : active) f->left -= f->rate * next;
    if (!first)  // a start: exactly then, not a rounding later
      for (auto& f : flows)
        if (std::abs(f.start - now) < 1e-12) f.start = now;
    for (auto* f : active)
      if (f == first || f->left < 1e-3) f->end = now;
  }
}

TEST(Contention, RandomFlowsOnALineShareAsTheSmallSolverSays) {
  std::mt19937_64 random(7);
  const auto draw = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  for (int round = 0; round < 200; ++round) {
    const auto ranks = 2 + draw(7);
    auto t = gpus(ranks, true);
    std::vector<double> capacity;
    for (std::uint32_t r = 0; r + 1 < ranks; ++r) {
      const auto gigabytes = 1 + draw(5);
      t.add(
          Link{{r}, {r + 1}, LinkKind::generic, {gigabytes * std::uint64_t{10'000'000'000}}, 1_us});
      capacity.push_back(gigabytes * 1e10);
    }
    Disturbance late;
    for (std::uint32_t r = 0; r < ranks; ++r) late.start.push_back(microseconds(draw(3) * 20));
    Told told(ranks, 8, 100'000_B);
    std::vector<SmallFlow> flows;
    for (std::uint32_t f = 0; f < 12; ++f) {
      const auto from = draw(ranks - 1), to = from + 1 + draw(ranks - 1 - from), size = 1 + draw(8);
      told->copy(input(from, 0), scratch(to, 8 * f), size, f);  // a channel each: no order
      SmallFlow flow{{}, late.start[from].seconds(), size * 1e5};
      for (auto w = from; w < to; ++w) flow.wires.push_back(w);
      flows.push_back(flow);
    }
    solve(flows, capacity);
    const auto run = told.on(t, NetworkModel::flow, late);
    for (std::size_t f = 0; f < flows.size(); ++f)
      EXPECT_NEAR(run.spans[f].read.seconds() / flows[f].end, 1, 1e-6) << round << " flow " << f;
  }
}

TEST(Effort, BoundsModelFlowAndChangesNothingElse) {
  const auto* direct = *find_algorithm(CollectiveKind::all_reduce, "direct");
  const CollectiveSpec spec{.kind = CollectiveKind::all_reduce, .ranks = 16};
  const auto schedule = *build_schedule(*make_plan(*direct, spec, {}));
  const auto topology = shape(ShapeKind::ring, 16);
  const auto simulator = *Simulator::prepare(schedule, topology);
  const Payload payload{1 << 20};
  const auto unbounded = *simulator.run(payload, NetworkModel::flow);
  std::uint64_t least = 1, most = 1 << 24;  // the least effort that is enough
  while (least < most) {
    const auto middle = (least + most) / 2;
    if (simulator.run(payload, NetworkModel::flow, {}, up_to(middle)))
      most = middle;
    else
      least = middle + 1;
  }
  EXPECT_GT(least, schedule.transfers().size());
  EXPECT_EQ(simulator.run(payload, NetworkModel::flow, {}, up_to(least))->time, unbounded.time);
  const auto refused = simulator.run(payload, NetworkModel::flow, {}, up_to(least - 1));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("flow"), std::string::npos);
  EXPECT_TRUE(simulator.run(payload, NetworkModel::stream, {}, up_to(0)));
}

}  // namespace
}  // namespace ringside::sim
