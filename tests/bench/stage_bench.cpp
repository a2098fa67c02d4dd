// What a frame of the window asks of the stage, at 64 and 256 ranks.

#include <benchmark/benchmark.h>

#include "viz/stage/action.hpp"
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
/// A slider moved, until all that the panels draw of it is there again: a frame may take the rest
/// of a tenth of a second.
void slider(benchmark::State& state) {
  Model model;
  Director director;
  model.scenario.system.ranks = static_cast<std::uint64_t>(state.range(0));
  director.request(Director::Part::lead, model.scenario, nullptr);
  director.wait();
  receive(model, director);
  bool is_fast = false;
  for (auto _ : state) {
    is_fast = !is_fast;
    apply(model, Edit{"bandwidth", is_fast ? "50GB/s" : "25GB/s"}, director);
    director.wait();
    receive(model, director);
    benchmark::DoNotOptimize(numbers_at(*model.run, middle(*model.run)));
    benchmark::DoNotOptimize(make_scene(*model.run, {0, 0, 700, 500}, model.layout, 1));
    benchmark::DoNotOptimize(SpaceTime(*model.run));
  }
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
RINGSIDE_STAGE_BENCH(slider)->UseRealTime();
RINGSIDE_STAGE_BENCH(numbers);
RINGSIDE_STAGE_BENCH(under_way);
RINGSIDE_STAGE_BENCH(every_slot);
RINGSIDE_STAGE_BENCH(scene);
RINGSIDE_STAGE_BENCH(bars);

}  // namespace
}  // namespace ringside::stage
