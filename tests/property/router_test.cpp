// The router, which looks at as little as it can, against one that looks at everything: the same
// routes, to the link.

#include "sim/router.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/cluster.hpp"
#include "sim/systems.hpp"
#include "tests/sim/bench.hpp"
#include "tests/sim/slow_router.hpp"

namespace ringside::sim {
namespace {

using Question = std::array<std::uint32_t, 3>;  // from, to, channel

std::vector<Question> some(const Topology& t, std::size_t count, std::mt19937_64& random) {
  std::vector<Question> questions;
  const auto rank = [&] { return static_cast<std::uint32_t>(random() % t.ranks.size()); };
  for (std::size_t i = 0; i < count; ++i)
    questions.push_back({rank(), rank(), static_cast<std::uint32_t>(random() % 3)});
  return questions;
}

void expect_the_same(const Topology& t, const std::vector<Question>& questions) {
  Router router(t);
  const SlowRouter slow(t);
  for (const auto& [from, to, channel] : questions) {
    const auto got = router.route({from}, {to}, {channel});
    const auto want = slow.route({from}, {to}, {channel});
    ASSERT_EQ(got.has_value(), want.has_value())
        << t.name << " from " << from << " to " << to << " by channel " << channel;
    if (got) {
      ASSERT_EQ(std::vector(got->begin(), got->end()), *want)
          << t.name << " from " << from << " to " << to << " by channel " << channel;
    }
  }
}

TEST(Router, IsTheSlowRouterOnShapes) {
  std::mt19937_64 random(5);
  for (const auto kind : {ShapeKind::ring, ShapeKind::star, ShapeKind::mesh, ShapeKind::torus,
                          ShapeKind::hypercube, ShapeKind::fattree})
    for (const std::uint64_t ranks : {2, 4, 8, 16, 32, 64}) {
      const auto t = shape(kind, ranks);
      ASSERT_NO_FATAL_FAILURE(expect_the_same(t, some(t, 60, random)));
    }
  const auto deep = need(make_shape({.kind = ShapeKind::torus, .ranks = 60, .dims = {3, 4, 5}}));
  ASSERT_NO_FATAL_FAILURE(expect_the_same(deep, some(deep, 200, random)));
}

/// Of 20 nodes and more the NICs on a leaf are a crowd.
TEST(Router, IsTheSlowRouterOnClustersOfEverySystem) {
  std::mt19937_64 random(6);
  for (const System& system : list_systems())
    for (const std::uint64_t nodes : {1, 3, 20}) {
      const auto t = need(make_cluster(system, {.nodes = nodes, .net = nodes > 1 ? "ndr" : ""}));
      ASSERT_NO_FATAL_FAILURE(expect_the_same(t, some(t, 40, random)))
          << system.topology.name << " x " << nodes;
    }
}

/// Clusters by lot: some nodes of several ranks and NICs, which hang on leaves or on each other;
/// leaves that spines join, or only what the nodes pass on. Wires alike or not, some without
/// latency, some dead. Every crowd is larger than what counts as few.
Topology drawn(std::mt19937_64& random) {
  Topology t;
  t.name = "drawn";
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto nodes = 18 + below(8), nics = 1 + below(3), leaves = 1 + below(3);
  const auto variety = 1 + below(3);
  constexpr LinkKind kinds[] = {LinkKind::ib, LinkKind::generic, LinkKind::pcie, LinkKind::nvlink};
  const auto join = [&](DeviceId a, DeviceId b, LinkKind kind) {
    if (a == b || below(40) == 0) return;
    const auto unlike = below(12) == 0 ? below(4) : 0;
    t.join(a, b, unlike > 1 ? kinds[unlike] : kind, {(2 + below(variety)) * 1000},
           microseconds(unlike > 0 ? below(3) : static_cast<std::uint32_t>(kind == LinkKind::ib)));
  };
  std::vector<DeviceId> leaf;
  for (std::uint32_t l = 0; l < leaves; ++l)
    leaf.push_back(add_switch(t, "leaf" + std::to_string(l)));
  std::vector<DeviceId> all_nics;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const auto in = "node" + std::to_string(n) + ".";
    const auto bus = add_switch(t, in + "pcie0", DeviceKind::pcie_switch);
    for (std::uint32_t g = 0; g < 2; ++g) {
      t.ranks.push_back(t.add(
          Device{.name = in + "gpu" + std::to_string(g), .node = n, .forwards = below(6) == 0}));
      join(t.ranks.back(), bus, LinkKind::pcie);
    }
    for (std::uint32_t i = 0; i < nics; ++i) {
      const auto nic = add_switch(t, in + "nic" + std::to_string(i), DeviceKind::nic);
      join(nic, bus, LinkKind::pcie);
      join(nic, leaf[below(5) == 0 ? below(leaves) : i % leaves], LinkKind::ib);
      if (below(6) == 0 && !all_nics.empty())
        join(nic, all_nics[below(all_nics.size())], LinkKind::ib);
      all_nics.push_back(nic);
    }
  }
  for (auto spines = below(3); spines > 0; --spines) {
    const auto spine = add_switch(t, "spine" + std::to_string(spines));
    for (const auto l : leaf) join(l, spine, LinkKind::ib);
  }
  return t;
}

TEST(Router, IsTheSlowRouterWhereNothingIsRegular) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 150; ++round) {
    const auto t = drawn(random);
    ASSERT_NO_FATAL_FAILURE(expect_the_same(t, some(t, 40, random))) << "round " << round;
  }
}

}  // namespace
}  // namespace ringside::sim
