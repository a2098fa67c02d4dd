// Nothing is faster than its wires: every algorithm of the registry on every shape, both models;
// and the bound itself is what the textbook says on the shapes that textbooks know.

#include "sim/lower_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/engine.hpp"
#include "sim/shapes.hpp"

namespace ringside::sim {
namespace {

constexpr ShapeKind every_shape[] = {ShapeKind::ring,  ShapeKind::star,      ShapeKind::mesh,
                                     ShapeKind::torus, ShapeKind::hypercube, ShapeKind::fattree};

std::string label(const Plan& plan, ShapeKind shape, NetworkModel model) {
  return std::string(name(plan.spec.kind)) + " " + std::string(plan.algorithm->name) + " on " +
         std::to_string(plan.spec.ranks) + " ranks, " +
         std::string(shape_names()[static_cast<std::size_t>(shape)]) + ", " +
         std::string(name(model));
}

class LowerBound : public testing::TestWithParam<const Algorithm*> {
 protected:
  void on(ShapeKind shape, std::uint32_t ranks) {
    const Algorithm& algorithm = *GetParam();
    const auto topology = make_shape({shape, ranks, 25_GBps, 1_us, {}, 1});
    const Rank root{has_root(algorithm.collective) ? ranks - 1 : 0};
    const auto plan = make_plan(algorithm, {algorithm.collective, ranks, root}, {});
    if (!topology || !plan || plan->options.agents > 0) return;  // the switch's help is exempt
    const auto schedule = build_schedule(*plan);
    ASSERT_TRUE(schedule) << schedule.error().message;
    const auto simulator = Simulator::prepare(*schedule, *topology);
    ASSERT_TRUE(simulator) << simulator.error().message;
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1'000},
                                      std::uint64_t{1'200'000} * ranks}) {
      const Payload payload{count, ElementType::float32};
      const auto bound = lower_bound(plan->spec, payload, *topology);
      for (const auto model : {NetworkModel::stream, NetworkModel::flow}) {
        const auto run = simulator->run(payload, model);
        if (!run) continue;  // a count its chunks do not fit
        EXPECT_GE(run->time, bound) << label(*plan, shape, model) << ", count " << count;
        ++runs_;
        if (run->time <= 2 * bound) ++near_;
      }
    }
  }
  int runs_ = 0, near_ = 0;
};

TEST_P(LowerBound, IsNeverBeatenAndNotFarOff) {
  for (const auto shape : every_shape)
    for (const std::uint32_t ranks : {2u, 3u, 4u, 8u, 13u, 16u}) on(shape, ranks);
  if (GetParam()->name == "nvls" || GetParam()->name == "sharp") return;
  EXPECT_GT(runs_, 50);
  EXPECT_GT(near_, 0) << "a bound that nobody comes near bounds nothing";
}

std::vector<const Algorithm*> every_algorithm() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : all_algorithms()) all.push_back(&algorithm);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, LowerBound, testing::ValuesIn(every_algorithm()),
                         [](const testing::TestParamInfo<const Algorithm*>& tested) {
                           return std::string(name(tested.param->collective)) + "_" +
                                  std::string(tested.param->name);
                         });

double bound_us(CollectiveKind kind, ShapeKind shape, std::uint32_t ranks, std::uint64_t bytes) {
  const auto topology = make_shape({shape, ranks, 25_GBps, 1_us, {}, 1});
  EXPECT_TRUE(topology);
  return lower_bound({kind, ranks}, {bytes, ElementType::uint8}, *topology).microseconds();
}

TEST(LowerBoundValue, IsTheTextbooks) {
  constexpr double mb_us = 40;  // 1 MB at 25 GB/s
  constexpr std::uint64_t mb = 1'000'000;
  const auto all_reduce = CollectiveKind::all_reduce;
  // Two wires a rank on a ring, one on a star, N-1 on a mesh; 2 (N-1)/N of the vector.
  EXPECT_NEAR(bound_us(all_reduce, ShapeKind::ring, 8, 8 * mb), 1 + 14 * mb_us / 2, 1e-5);
  EXPECT_NEAR(bound_us(all_reduce, ShapeKind::star, 8, 8 * mb), 2 + 14 * mb_us, 1e-5);
  EXPECT_NEAR(bound_us(all_reduce, ShapeKind::mesh, 8, 8 * mb), 1 + 14 * mb_us / 7, 1e-5);
  EXPECT_NEAR(bound_us(all_reduce, ShapeKind::hypercube, 8, 8 * mb), 1 + 14 * mb_us / 3, 1e-5);
  // Small: ceil(log_(d+1) N) latencies; a star's one link reaches everyone.
  EXPECT_EQ(bound_us(all_reduce, ShapeKind::ring, 28, 0), 4);
  EXPECT_EQ(bound_us(all_reduce, ShapeKind::ring, 27, 0), 3);
  EXPECT_EQ(bound_us(all_reduce, ShapeKind::hypercube, 16, 0), 2);
  EXPECT_EQ(bound_us(all_reduce, ShapeKind::mesh, 16, 0), 1);
  EXPECT_EQ(bound_us(all_reduce, ShapeKind::star, 16, 0), 2);
  // Blocks: count is a block.
  EXPECT_NEAR(bound_us(CollectiveKind::all_gather, ShapeKind::star, 8, mb), 2 + 7 * mb_us, 1e-5);
  EXPECT_NEAR(bound_us(CollectiveKind::scatter, ShapeKind::star, 8, mb), 2 + 7 * mb_us, 1e-5);
  EXPECT_NEAR(bound_us(CollectiveKind::broadcast, ShapeKind::star, 8, mb), 2 + mb_us, 1e-5);
  EXPECT_NEAR(bound_us(CollectiveKind::send_recv, ShapeKind::star, 8, mb), 2 + mb_us, 1e-5);
  EXPECT_EQ(bound_us(all_reduce, ShapeKind::star, 1, mb), 0);
}

TEST(LowerBoundValue, FollowsTheWorstRank) {
  auto topology = make_shape({ShapeKind::star, 4, 25_GBps, 1_us, {}, 1});
  ASSERT_TRUE(topology);
  const auto port = find_links(*topology, "sw0->gpu2");
  ASSERT_TRUE(port);
  topology->links[port->at(0).value].bandwidth = 5_GBps;
  const Payload payload{1'000'000, ElementType::uint8};
  EXPECT_NEAR(lower_bound({CollectiveKind::broadcast, 4}, payload, *topology).microseconds(),
              2 + 200, 1e-5);
  EXPECT_NEAR(lower_bound({CollectiveKind::all_to_all, 4}, payload, *topology).microseconds(),
              2 + 600, 1e-5);
}

}  // namespace
}  // namespace ringside::sim
