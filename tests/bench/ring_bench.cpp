// How long it takes to tell, store, prove and simulate a ring all-reduce of N ranks: 2N(N-1)
// transfers. What the window and the command line wait for.

#include <benchmark/benchmark.h>

#include "core/assert.hpp"
#include "core/engine.hpp"
#include "core/verifier.hpp"
#include "sim/shapes.hpp"
#include "sim/simulate.hpp"

namespace ringside {
namespace {

Schedule ring(std::int64_t ranks) {
  const CollectiveSpec spec{.kind = CollectiveKind::all_reduce,
                            .ranks = static_cast<std::uint32_t>(ranks)};
  const auto algorithm = find_algorithm(spec.kind, "ring");
  RS_ASSERT(algorithm, "ring is registered");
  const auto plan = make_plan(**algorithm, spec, {});
  RS_ASSERT(plan, "ring serves any number of ranks");
  auto schedule = build_schedule(*plan);
  RS_ASSERT(schedule, "ring tells a schedule");
  return *std::move(schedule);
}

void count_transfers(benchmark::State& state, const Schedule& schedule) {
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(schedule.transfers().size()));
}

void build_ring(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(ring(state.range(0)));
  count_transfers(state, ring(state.range(0)));
}
BENCHMARK(build_ring)->RangeMultiplier(2)->Range(64, 1024)->Unit(benchmark::kMillisecond);

void verify_ring(benchmark::State& state) {
  const Schedule schedule = ring(state.range(0));
  for ([[maybe_unused]] auto _ : state) RS_ASSERT(verify(schedule).empty(), "the ring is right");
  count_transfers(state, schedule);
}
BENCHMARK(verify_ring)->RangeMultiplier(2)->Range(64, 1024)->Unit(benchmark::kMillisecond);

void simulate_ring(benchmark::State& state, sim::NetworkModel model) {
  const Schedule schedule = ring(state.range(0));
  const auto wires = sim::make_shape({.ranks = static_cast<std::uint64_t>(state.range(0))});
  RS_ASSERT(wires, "a ring of any size is a shape");
  for ([[maybe_unused]] auto _ : state) {
    const auto run = sim::simulate(schedule, {.count = 1 << 18}, *wires, model);
    RS_ASSERT(run, "neighbours are joined");
  }
  count_transfers(state, schedule);
}
BENCHMARK_CAPTURE(simulate_ring, stream, sim::NetworkModel::stream)
    ->RangeMultiplier(4)
    ->Range(64, 1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_ring, flow, sim::NetworkModel::flow)
    ->RangeMultiplier(4)
    ->Range(64, 1024)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ringside
