// How long it takes to tell, store, prove and simulate a ring all-reduce of N ranks: 2N(N-1)
// transfers. What the window and `verify` wait for.

#include <benchmark/benchmark.h>

#include "core/assert.hpp"
#include "core/engine.hpp"
#include "core/verifier.hpp"

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
  for (auto _ : state) benchmark::DoNotOptimize(ring(state.range(0)));
  count_transfers(state, ring(state.range(0)));
}
BENCHMARK(build_ring)->RangeMultiplier(2)->Range(64, 1024)->Unit(benchmark::kMillisecond);

void verify_ring(benchmark::State& state) {
  const Schedule schedule = ring(state.range(0));
  for (auto _ : state) RS_ASSERT(verify(schedule).empty(), "the ring is right");
  count_transfers(state, schedule);
}
BENCHMARK(verify_ring)->RangeMultiplier(2)->Range(64, 1024)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ringside
