// Nothing is faster than physics: some rank must send or receive so many bytes over its own wires,
// and the last of them still has a latency ahead. Chan, Heimlich, Purkayastha & van de Geijn, CCPE
// 19 (2007), for ranks with several wires. Their bound on latencies (alpha lg N) is not ours: they
// let a rank send one message at a time, where our wires are busy for the bytes only.

#include <gtest/gtest.h>

#include "core/engine.hpp"
#include "sim/shapes.hpp"
#include "sim/simulate.hpp"

namespace ringside::sim {
namespace {

/// Bytes that at least one rank must send (or receive) on any algorithm, as a share of size_of().
double necessary(CollectiveKind kind, double n) {
  switch (kind) {
    case CollectiveKind::all_reduce:  // every element: N-1 messages to add it, N-1 to spread it
      return 2 * (n - 1) / n;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return (n - 1) / n;
    case CollectiveKind::barrier:
      return 0;
    default:
      return 1;
  }
}

double wires_out(ShapeKind shape, double ranks) {
  return shape == ShapeKind::mesh ? ranks - 1 : shape == ShapeKind::ring && ranks > 2 ? 2 : 1;
}

class LowerBound : public testing::TestWithParam<const Algorithm*> {};

TEST_P(LowerBound, IsNeverBeaten) {
  const Algorithm& algorithm = *GetParam();
  for (const ShapeKind shape : {ShapeKind::ring, ShapeKind::star, ShapeKind::mesh})
    for (const std::uint32_t n : {2u, 3u, 6u, 8u, 13u}) {
      const auto plan = make_plan(algorithm, {algorithm.collective, n}, {});
      if (!plan || plan->options.agents > 0) continue;  // the switch's help is exempt
      const auto schedule = build_schedule(*plan);
      ASSERT_TRUE(schedule) << schedule.error().message;
      const auto topology = make_shape({shape, n, 25_GBps, 1_us, {}, 1});
      ASSERT_TRUE(topology);
      const Duration path = (shape == ShapeKind::star ? 2 : 1) * topology->links[0].latency;
      for (const std::uint64_t count : {1u, 1'000u, 1'000'003u}) {
        const Payload payload{count, ElementType::float32};
        const double bytes = static_cast<double>(size_of(plan->spec, count, payload.type).count);
        const double bound = path.seconds() + necessary(algorithm.collective, n) * bytes /
                                                  (25e9 * wires_out(shape, n));
        for (const auto model : {NetworkModel::stream, NetworkModel::flow}) {
          const auto run = simulate(*schedule, payload, *topology, model);
          if (!run) continue;  // a count its chunks do not fit
          EXPECT_GE(run->time.seconds(), bound * (1 - 1e-9))
              << algorithm.name << " on " << n << " ranks, shape " << shape_names()[int(shape)]
              << ", count " << count;
        }
      }
    }
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

}  // namespace
}  // namespace ringside::sim
