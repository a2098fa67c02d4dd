// Closed forms that every simulator of these networks must give: 1 us and 25 GB/s a link.

#include <cmath>
#include <string>

#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

struct Oracle {
  const char* algorithm;
  ShapeKind shape;
  std::uint32_t ranks;
  Bytes size;
  double microseconds;
};

class Oracles : public testing::TestWithParam<Oracle> {};

/// 2 log2(N) steps of halving sizes, or 2(N-1) of equal ones: hops * alpha + 2 (N-1)/N S/B.
double closed_form(const Oracle& o) {
  const double n = o.ranks, wire = 2 * (n - 1) / n * static_cast<double>(o.size.count) / 25e3;
  const double hops = o.shape == ShapeKind::star ? 2 : 1;
  if (o.algorithm == std::string("ring")) return 2 * (n - 1) * hops + wire;
  if (o.algorithm == std::string("halving_doubling")) return 2 * std::log2(n) * hops + wire;
  return 2 * hops + wire / (n - 1);  // direct: all N-1 wires of a rank at once
}

TEST_P(Oracles, BothModelsGiveTheClosedForm) {
  const Oracle& o = GetParam();
  EXPECT_NEAR(closed_form(o), o.microseconds, 0.0051) << "the published figure is this formula";
  const auto schedule = story(CollectiveKind::all_reduce, o.algorithm, o.ranks);
  const auto topology = shape(o.shape, o.ranks);
  const auto simulator = need(Simulator::prepare(schedule, topology));
  for (const auto model : both_models) {
    const auto run = need(simulator.run(bytes(schedule, o.size), model));
    EXPECT_NEAR(run.time.microseconds() / closed_form(o), 1, 1e-6) << name(model);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Published, Oracles,
    testing::Values(Oracle{"ring", ShapeKind::ring, 256, 1_GiB, 86'073.80},
                    Oracle{"ring", ShapeKind::star, 256, 1_GiB, 86'583.80},
                    Oracle{"ring", ShapeKind::ring, 256, 1_MiB, 593.56},
                    Oracle{"ring", ShapeKind::star, 256, 1_MiB, 1'103.56},
                    Oracle{"halving_doubling", ShapeKind::star, 1024, 1_MiB, 123.80},
                    Oracle{"halving_doubling", ShapeKind::star, 1024, 1_GiB, 85'855.46},
                    Oracle{"direct", ShapeKind::mesh, 64, 1_GiB, 1'344.18}));

}  // namespace
}  // namespace ringside::sim
