// What a frame of the window asks of the stage, at 64 and 256 ranks.

#include <benchmark/benchmark.h>

#include "viz/stage/numbers.hpp"
#include "viz/stage/scene.hpp"
#include "viz/stage/space_time.hpp"

namespace ringside::stage {
namespace {

stage::Run ring(std::int64_t ranks, const stage::Run& previous = nullptr,
                const char* bandwidth = "25GB/s") {
  scenario::Scenario scenario;
  scenario.system.ranks = static_cast<std::uint64_t>(ranks);
  scenario.system.bandwidth = bandwidth;
  return *stage_run(scenario, previous);
}
TimePoint middle(const StagedRun& run) {
  return {run.time().picoseconds / 2};
}

void fresh(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ring(state.range(0)));
}
/// What a slider costs.
void reused(benchmark::State& state) {
  const stage::Run before = ring(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(ring(state.range(0), before, "50GB/s"));
}
void numbers(benchmark::State& state) {
  const stage::Run run = ring(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(numbers_at(*run, middle(*run)));
}
void under_way(benchmark::State& state) {
  const stage::Run run = ring(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(run->timeline->under_way(middle(*run)));
}
void every_slot(benchmark::State& state) {
  const stage::Run run = ring(state.range(0));
  for (auto _ : state) {
    std::uint64_t parts = 0;
    for (Rank r{0}; r.value < run->ranks(); ++r.value)
      for (ChunkId c{0}; c.value < run->schedule->chunks(); ++c.value)
        parts += run->story->count(run->timeline->shown(r, c, middle(*run)).parts);
    benchmark::DoNotOptimize(parts);
  }
}
void scene(benchmark::State& state) {
  const stage::Run run = ring(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(make_scene(*run, {0, 0, 700, 500}, Model::Layout::automatic, 1));
}
void bars(benchmark::State& state) {
  const stage::Run run = ring(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(SpaceTime(*run));
}

#define RINGSIDE_STAGE_BENCH(name) BENCHMARK(name)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond)
RINGSIDE_STAGE_BENCH(fresh);
RINGSIDE_STAGE_BENCH(reused);
RINGSIDE_STAGE_BENCH(numbers);
RINGSIDE_STAGE_BENCH(under_way);
RINGSIDE_STAGE_BENCH(every_slot);
RINGSIDE_STAGE_BENCH(scene);
RINGSIDE_STAGE_BENCH(bars);

}  // namespace
}  // namespace ringside::stage
