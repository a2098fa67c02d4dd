// One group of ranks that stands for all takes, to the picosecond, the time that all take, and
// every link carries the same: on shapes and clusters, at sizes that divide and that do not, in
// both models. Where anything is unlike, it refuses, and says what.

#include "sim/folding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/variants.hpp"
#include "sim/cluster.hpp"
#include "sim/streamer.hpp"
#include "tests/property/each_algorithm.hpp"
#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

using testing::HasSubstr;

/// A plan on a topology, folded where that can be.
struct Folded {
  const Plan& plan;
  const Topology& topology;
  Router router{topology};

  Result<Streamer> streamer(NetworkModel model) {
    RS_ASSIGN(
        auto folding,
        Folding::find(story_of(plan), plan.algorithm->symmetry(plan.spec, plan.options), topology));
    return Streamer::prepare(story_of(plan), topology, router,
                             {model, std::make_shared<Folding>(std::move(folding))});
  }
  Result<Simulation> run(const Payload& payload, NetworkModel model,
                         const Disturbance& trouble = {}) {
    RS_ASSIGN(auto told, streamer(model));
    return told.run(payload, trouble);
  }
};

Topology cluster(std::string_view name, std::uint64_t nodes) {
  return need(make_cluster(need(load_system(name)), {.nodes = nodes}));
}

std::size_t folded = 0;  // how many runs were, of both kinds
std::size_t refused = 0;

void expect_equal(const Plan& plan, const Topology& topology) {
  const auto schedule = need(build_schedule(plan));
  const auto all = Simulator::prepare(schedule, topology);
  if (!all) return;
  Folded one{plan, topology};
  for (const auto model : both_models) {
    auto streamer = one.streamer(model);
    if (!streamer) {
      ++refused;
      continue;
    }
    for (const std::uint64_t count : {0u, 1u, 840u, 1000u, 5'040'000u, 3u << 20}) {
      const Payload payload{count, ElementType::float32};
      const auto of_one = streamer->run(payload);
      if (!of_one) {
        ++refused;
        continue;
      }
      ++folded;
      const auto expected = need(all->run(payload, model));
      SCOPED_TRACE(testing::Message()
                   << name(plan.spec.kind) << ' ' << plan.algorithm->name << " in "
                   << plan.options.chunks << " chunks on " << topology.name << " of "
                   << plan.spec.ranks << ", " << count << ", " << name(model));
      ASSERT_EQ(of_one->time, expected.time);
      ASSERT_EQ(of_one->links.size(), expected.links.size());
      for (std::size_t l = 0; l < expected.links.size(); ++l) {
        ASSERT_EQ(of_one->links[l].bytes, expected.links[l].bytes)
            << topology.link_name({static_cast<std::uint32_t>(l)});
        ASSERT_EQ(of_one->links[l].busy, expected.links[l].busy);
      }
    }
  }
}

class Foldings : public testing::TestWithParam<const Algorithm*> {};

void expect_all_equal(const Algorithm& algorithm, const Topology& topology,
                      std::uint32_t per_node) {
  const auto n = static_cast<std::uint32_t>(topology.ranks.size());
  for (const auto& spec : specs_that_matter(algorithm.collective, n)) {
    for (const Plan& plan : plans_that_matter(algorithm, spec)) {
      expect_equal(plan, topology);
      if (testing::Test::HasFatalFailure()) return;
    }
    const auto plan = make_plan(algorithm, spec, {.ranks_per_node = per_node});
    if (plan) expect_equal(*plan, topology);
  }
}

TEST_P(Foldings, TakeTheTimeOfAllOnShapes) {
  folded = refused = 0;
  for (const auto kind : {ShapeKind::ring, ShapeKind::star, ShapeKind::mesh, ShapeKind::torus,
                          ShapeKind::hypercube, ShapeKind::fattree})
    for (const std::uint32_t n : {2u, 4u, 6u, 8u, 12u, 16u}) {
      if (kind == ShapeKind::hypercube && (n & (n - 1)) != 0) continue;
      expect_all_equal(*GetParam(), shape(kind, n), 4);
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(folded, 50u) << refused << " refused";
}

TEST_P(Foldings, TakeTheTimeOfAllOnClusters) {
  folded = refused = 0;
  for (const std::string_view system : {"dgx-h100", "dgx-a100", "dgx1-v100"})
    for (const std::uint64_t nodes : {2u, 3u, 4u}) {
      expect_all_equal(*GetParam(), cluster(system, nodes), 8);
      if (HasFatalFailure()) return;
    }
  RecordProperty("folded", std::to_string(folded));
  RecordProperty("refused", std::to_string(refused));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Foldings, testing::ValuesIn(algorithms_with_orbits()),
                         test_name);

/// The sentence with which a folded run is refused.
std::string refusal(const Plan& plan, const Topology& topology, NetworkModel model,
                    const Payload& payload = {1u << 20}, const Disturbance& trouble = {}) {
  const auto outcome = Folded{plan, topology}.run(payload, model, trouble);
  return outcome ? "" : outcome.error().message;
}

Plan plan_of(CollectiveKind kind, std::string_view algorithm, std::uint32_t ranks,
             const Options& options = {}) {
  return need(
      make_plan(*need(find_algorithm(kind, algorithm)), {.kind = kind, .ranks = ranks}, options));
}

class WhereUnlike : public testing::TestWithParam<NetworkModel> {
 protected:
  Plan plan_ = plan_of(CollectiveKind::all_reduce, "hierarchical", 32, {.ranks_per_node = 8});
  Topology topology_ = cluster("dgx-h100", 4);
};

TEST_P(WhereUnlike, AnythingIsSaid) {
  ASSERT_EQ(refusal(plan_, topology_, GetParam()), "");
  EXPECT_THAT(refusal(plan_, topology_, GetParam(), {1001}), HasSubstr("equally long"));
  EXPECT_THAT(refusal(plan_, topology_, GetParam(), {1u << 20}, {.jitter = 0.1}),
              HasSubstr("jitter"));
  EXPECT_THAT(refusal(plan_, topology_, GetParam(), {1u << 20}, {.start = {Duration{1}}}),
              HasSubstr("straggler"));
}

TEST_P(WhereUnlike, EveryLinkCounts) {
  for (std::size_t l = 0; l < topology_.links.size(); ++l) {
    const Link before = topology_.links[l];
    for (const int what : {0, 1}) {
      if (what == 0) topology_.links[l].bandwidth.bytes_per_second /= 2;
      if (what == 1) topology_.links[l].latency += Duration{1};
      const auto why = refusal(plan_, topology_, GetParam());
      topology_.links[l] = before;
      const bool of_all = before.from.value >= topology_.devices.size() - 9 &&
                          before.to.value >= topology_.devices.size() - 9;  // a leaf, the spine
      if (of_all)
        EXPECT_EQ(why, "") << topology_.link_name({static_cast<std::uint32_t>(l)});
      else
        EXPECT_THAT(why, HasSubstr("are not joined alike"))
            << topology_.link_name({static_cast<std::uint32_t>(l)});
    }
  }
}

TEST_P(WhereUnlike, EveryDeadLinkCounts) {
  for (std::size_t l = 0; l < topology_.links.size(); l += 7) {
    Topology without = topology_;
    without.links.erase(without.links.begin() + static_cast<std::ptrdiff_t>(l));
    if (topology_.links[l].from.value >= topology_.devices.size() - 9) continue;
    EXPECT_NE(refusal(plan_, without, GetParam()), "")
        << topology_.link_name({static_cast<std::uint32_t>(l)});
  }
}

TEST_P(WhereUnlike, AMemoryCounts) {
  topology_.devices[topology_.ranks[9].value].memory.bytes_per_second -= 1;
  EXPECT_THAT(refusal(plan_, topology_, GetParam()), HasSubstr("node0.gpu1"));
}

TEST_P(WhereUnlike, RanksInAnotherOrderAre) {
  std::vector<Rank> order;
  for (std::uint32_t r = 0; r < 32; ++r) order.push_back({r});
  std::swap(order[3], order[20]);
  const auto plan = plan_of(CollectiveKind::all_reduce, "ring", 32, {.rank_order = {order}});
  EXPECT_THAT(refusal(plan, shape(ShapeKind::star, 32), GetParam()), HasSubstr("no group"));
}

std::string model_label(const testing::TestParamInfo<NetworkModel>& info) {
  return std::string(name(info.param));
}
INSTANTIATE_TEST_SUITE_P(Models, WhereUnlike, testing::ValuesIn(both_models), model_label);

TEST(Folding, IsExactOver256Nodes) {
  const auto nodes = cluster("dgx-h100", 256);
  const auto plan =
      plan_of(CollectiveKind::all_reduce, "hierarchical", 2048, {.ranks_per_node = 8});
  for (const auto model : both_models) {
    Router router(nodes);
    auto all = need(Streamer::prepare(story_of(plan), nodes, router, {.model = model}));
    for (const std::uint64_t count : {std::uint64_t{1} << 17, std::uint64_t{1} << 32}) {
      const auto expected = need(all.run({count}));
      const auto of_one = need(Folded{plan, nodes}.run({count}, model));
      EXPECT_EQ(of_one.time, expected.time);
      EXPECT_EQ(busiest(of_one).links, busiest(expected).links);
    }
  }
}

TEST(Folding, AButterflyIsOneRank) {
  for (const auto kind : {ShapeKind::hypercube, ShapeKind::star}) {
    auto wires = shape(kind, 64);
    const auto plan = plan_of(CollectiveKind::all_reduce, "halving_doubling", 64);
    const auto found =
        Folding::find(story_of(plan), plan.algorithm->symmetry(plan.spec, plan.options), wires);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->orbit().groups, 64u);
    for (std::size_t l = 0; l < wires.links.size(); l += 5) {
      const Duration before = std::exchange(wires.links[l].latency, Duration{1});
      EXPECT_THAT(refusal(plan, wires, NetworkModel::stream), HasSubstr("are not joined alike"));
      wires.links[l].latency = before;
    }
  }
  const auto between = plan_of(CollectiveKind::all_reduce, "halving_doubling", 48);
  EXPECT_THAT(refusal(between, shape(ShapeKind::star, 48), NetworkModel::stream),
              HasSubstr("no group"));
}

/// All send in one step, but distance by distance: so each port of a switch is asked in one order.
TEST(Folding, RoundsOfAStepAreInOrder) {
  for (const auto kind : {CollectiveKind::all_gather, CollectiveKind::all_reduce})
    EXPECT_EQ(
        refusal(plan_of(kind, "direct", 16), shape(ShapeKind::star, 16), NetworkModel::stream), "");
}

/// A tray's GPUs have two NICs as near. Two domains of 18 trays choose alike; trays of one domain
/// meet in its switch, so they are no groups.
TEST(Folding, RoutesThatTieAreChosenAlike) {
  folded = refused = 0;
  const auto domains = cluster("gb200-nvl72", 36);
  expect_equal(plan_of(CollectiveKind::all_reduce, "hierarchical", 144, {.ranks_per_node = 72}),
               domains);
  EXPECT_GE(folded, 2u) << refused << " refused";
}

TEST(Folding, SharedWiresStandForNobody) {
  // Four leaves of four hosts: a ring folds by whole leaves, and then each uplink is a leaf's own.
  const auto tree = shape(ShapeKind::fattree, 16);
  const auto ring = plan_of(CollectiveKind::all_reduce, "ring", 16);
  EXPECT_EQ(refusal(ring, tree, NetworkModel::stream, {1600}), "");
  // A ring that takes every second rank of a cluster's rails would cross the one spine.
  const auto nodes = cluster("dgx-h100", 4);
  const auto pairs = plan_of(CollectiveKind::all_to_all, "pairwise", 32);
  EXPECT_THAT(refusal(pairs, nodes, NetworkModel::stream), HasSubstr("share"));
}

}  // namespace
}  // namespace ringside::sim
