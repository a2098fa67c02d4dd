// Nothing is faster than its wires: every algorithm of the registry on every shape, both models;
// and the bound itself is what the textbook says on the shapes that textbooks know.

#include "sim/lower_bound.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "core/engine.hpp"
#include "core/message.hpp"
#include "sim/shapes.hpp"
#include "tests/property/each_algorithm.hpp"

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

/// Links out of a rank, and the latency to the nearest other: what a textbook says of each shape.
struct Textbook {
  std::uint32_t links;
  Duration alpha;
};
Textbook textbook(ShapeKind shape, const Topology& topology) {
  Textbook found{0, shape == ShapeKind::star || shape == ShapeKind::fattree ? 2_us : 1_us};
  for (const Link& link : topology.links) found.links += link.from == topology.ranks[0] ? 1 : 0;
  return found;
}

/// ceil(log_(d+1) N) * alpha.
Duration textbook_bound(const CollectiveSpec& spec, const Textbook& book) {
  std::int64_t rounds = 0;
  for (std::uint64_t n = 1; n < spec.ranks; n *= book.links + 1) ++rounds;
  return (spec.kind == CollectiveKind::send_recv ? 1 : rounds) * book.alpha;
}

/// Wire time of the shortest message, rounded down, as fair shares need not round up one by one.
Duration shortest_message(const Schedule& schedule, const Payload& payload) {
  const ChunkLayout layout(schedule.spec(), schedule.chunks(), payload.count);
  std::uint64_t least = UINT64_MAX;
  for (const Transfer& t : schedule.transfers())
    if (!t.is_local()) least = std::min(least, message_elements(t, layout));
  const Bytes bytes{least * size_of(payload.type).count};
  return {static_cast<std::int64_t>(bytes.count * 40)};  // picoseconds at 25 GB/s
}

struct Case {
  Plan plan;
  Schedule schedule;
  Topology topology;
};

class LowerBound : public testing::TestWithParam<const Algorithm*> {
 protected:
  std::optional<Case> make(ShapeKind shape, std::uint32_t ranks) {
    const Algorithm& algorithm = *GetParam();
    const auto topology = make_shape({shape, ranks, 25_GBps, 1_us, {}, 1});
    const Rank root{has_root(algorithm.collective) ? ranks - 1 : 0};
    const auto plan = make_plan(algorithm, {algorithm.collective, ranks, root}, {});
    if (!topology || !plan || plan->options.agents > 0) return {};  // the switch's help is exempt
    auto schedule = build_schedule(*plan);
    EXPECT_TRUE(schedule) << schedule.error().message;
    if (!schedule) return {};
    return Case{*plan, *std::move(schedule), *topology};
  }

  void on(ShapeKind shape, std::uint32_t ranks) {
    const auto one = make(shape, ranks);
    if (!one) return;
    const auto simulator = Simulator::prepare(one->schedule, one->topology);
    ASSERT_TRUE(simulator) << simulator.error().message;
    const auto book = textbook(shape, one->topology);
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1'000},
                                      std::uint64_t{1'200'000} * ranks}) {
      const Payload payload{count, ElementType::float32};
      const auto shortest = shortest_message(one->schedule, payload);
      const auto any = lower_bound(one->plan.spec, payload, one->topology);
      const auto bound = lower_bound(one->plan.spec, payload, one->topology, shortest);
      EXPECT_GE(bound, any);
      const bool in_textbook = shortest >= book.alpha || shape == ShapeKind::mesh;
      for (const auto model : {NetworkModel::stream, NetworkModel::flow}) {
        const auto run = simulator->run(payload, model);
        if (!run) continue;  // a count its chunks do not fit
        const auto what = label(one->plan, shape, model) + ", count " + std::to_string(count);
        EXPECT_GE(run->time, bound) << what;
        ++runs_;
        if (in_textbook) {
          EXPECT_GE(run->time, textbook_bound(one->plan.spec, book)) << what;
          ++in_textbook_;
        }
        if (run->time <= 2 * bound) ++near_;
      }
    }
  }
  int runs_ = 0, near_ = 0, in_textbook_ = 0;
};

TEST_P(LowerBound, IsNeverBeatenAndNotFarOff) {
  for (const auto shape : every_shape)
    for (const std::uint32_t ranks : {2u, 3u, 4u, 8u, 13u, 16u}) on(shape, ranks);
  if (GetParam()->name == "nvls" || GetParam()->name == "sharp") return;
  EXPECT_GT(runs_, 50);
  EXPECT_GT(in_textbook_, 20);
  EXPECT_GT(near_, 0) << "a bound that nobody comes near bounds nothing";
}

INSTANTIATE_TEST_SUITE_P(Registry, LowerBound, testing::ValuesIn(every_algorithm()), test_name);

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

TEST(LowerBoundValue, LongMessagesLeaveAPortOneByOne) {
  const auto bound = [](ShapeKind shape, std::uint32_t ranks, Duration shortest) {
    const auto topology = make_shape({shape, ranks, 25_GBps, 1_us, {}, 1});
    EXPECT_TRUE(topology);
    return lower_bound({CollectiveKind::broadcast, ranks}, {}, *topology, shortest);
  };
  EXPECT_EQ(bound(ShapeKind::star, 16, {}), 2_us);
  EXPECT_EQ(bound(ShapeKind::star, 16, 2_us), 2_us + 4 * 2_us);
  EXPECT_EQ(bound(ShapeKind::star, 17, 2_us), 2_us + 5 * 2_us);
  EXPECT_EQ(bound(ShapeKind::ring, 27, 5_us), 1_us + 3 * 5_us);
  EXPECT_EQ(bound(ShapeKind::mesh, 16, 5_us), 1_us + 5_us);
}

/// Why the textbook's latency term asks for messages as long as alpha: a star's port lets shorter
/// ones go without waiting for their latency, and telling everyone at once costs one alpha.
TEST(LowerBoundValue, ShortMessagesBeatTheTextbooksLatencyTermOnAStar) {
  const auto topology = make_shape({ShapeKind::star, 16, 25_GBps, 1_us, {}, 1});
  const auto flat = find_algorithm(CollectiveKind::broadcast, "flat");
  const auto plan = make_plan(**flat, {CollectiveKind::broadcast, 16}, {});
  const auto schedule = build_schedule(*plan);
  ASSERT_TRUE(schedule);
  const auto run = simulate(*schedule, {1, ElementType::uint8}, *topology, NetworkModel::stream);
  ASSERT_TRUE(run);
  EXPECT_LT(run->time, 4 * 2_us);  // log2 16 times two hops
  EXPECT_GE(run->time, lower_bound(plan->spec, {1, ElementType::uint8}, *topology));
}

/// Few links out of every rank, many into one: what counts for a gather is who hears whom.
TEST(LowerBoundValue, ManyMayReachOneWhoReachesFew) {
  Topology topology;
  topology.name = "funnel";
  for (std::uint32_t r = 0; r < 5; ++r)
    topology.ranks.push_back(
        topology.add(Device{.name = "gpu" + std::to_string(r), .forwards = true}));
  for (std::uint32_t r = 1; r < 5; ++r) {
    topology.add(Link{{r}, {0}, LinkKind::generic, 25_GBps, 1_us});
    topology.add(Link{{r - 1}, {r}, LinkKind::generic, 25_GBps, 1_us});
  }
  const CollectiveSpec gather{CollectiveKind::gather, 5};
  EXPECT_EQ(lower_bound(gather, {}, topology), 1_us);
  const auto plan = make_plan(**find_algorithm(gather.kind, "flat"), gather, {});
  const auto run = simulate(*build_schedule(*plan), {}, topology, NetworkModel::flow);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->time, 1_us);
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
