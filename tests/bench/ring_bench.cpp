// How long it takes to tell, store, prove and simulate a ring all-reduce of N ranks: 2N(N-1)
// transfers. What the window and the command line wait for; and how long to tell it and to hear it
// as it is told.

#include <benchmark/benchmark.h>

#include "core/assert.hpp"
#include "core/engine.hpp"
#include "core/verifier.hpp"
#include "sim/shapes.hpp"
#include "sim/simulate.hpp"
#include "sim/streamer.hpp"

namespace ringside {
namespace {

Plan ring_plan(std::int64_t ranks) {
  const CollectiveSpec spec{.kind = CollectiveKind::all_reduce,
                            .ranks = static_cast<std::uint32_t>(ranks)};
  const auto algorithm = find_algorithm(spec.kind, "ring");
  RS_ASSERT(algorithm, "ring is registered");
  const auto plan = make_plan(**algorithm, spec, {});
  RS_ASSERT(plan, "ring serves any number of ranks");
  return *plan;
}

Schedule ring(std::int64_t ranks) {
  auto schedule = build_schedule(ring_plan(ranks));
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

class Nobody final : public TransferSink {
 public:
  std::uint64_t transfers = 0;

 private:
  void consume(std::span<const Transfer> block, Step) override { transfers += block.size(); }
};

/// What telling the story takes, whoever hears it: hear_ring less this is the model itself.
void tell_ring(benchmark::State& state) {
  const auto story = story_of(ring_plan(state.range(0)));
  Nobody sink;
  for ([[maybe_unused]] auto _ : state) {
    story.tell(sink);
    sink.finish();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(sink.transfers));
}
BENCHMARK(tell_ring)->Arg(1024)->Unit(benchmark::kMillisecond);

/// Every transfer simulated as it is told, none stored, no rank standing for another.
void hear_ring(benchmark::State& state, sim::NetworkModel model) {
  const auto plan = ring_plan(state.range(0));
  const auto wires = sim::make_shape({.ranks = static_cast<std::uint64_t>(state.range(0))});
  RS_ASSERT(wires, "a ring of any size is a shape");
  sim::Router router(*wires);
  auto streamer = sim::Streamer::prepare(story_of(plan), *wires, router, {.model = model});
  RS_ASSERT(streamer, "neighbours are joined");
  for ([[maybe_unused]] auto _ : state)
    RS_ASSERT(streamer->run({.count = 1 << 28}), "nobody shares a wire");
  state.SetItemsProcessed(state.iterations() * 2 * state.range(0) * (state.range(0) - 1));
}
BENCHMARK_CAPTURE(hear_ring, stream, sim::NetworkModel::stream)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(hear_ring, flow, sim::NetworkModel::flow)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ringside
