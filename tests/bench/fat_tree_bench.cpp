// Model flow under contention: 65,536 hosts on a fat tree of three levels of 64-port switches, and
// flows between uniform random pairs, one hashed path each. An item is an event: a flow's start or
// its end, after each of which rates are fair again.

#include <benchmark/benchmark.h>

#include <random>

#include "core/assert.hpp"
#include "core/schedule_builder.hpp"
#include "sim/models/fair_share.hpp"
#include "sim/models/model.hpp"

namespace ringside::sim::models {
namespace {

constexpr std::uint32_t half = 32, hosts = 2 * half * half * half;

/// Wires by level, then by direction, then from left to right.
class FatTree {
 public:
  std::vector<Wire> wires() const {
    return std::vector<Wire>(6 * hosts, Wire{{12'500'000'000}, microseconds(1)});
  }
  std::uint32_t host() { return static_cast<std::uint32_t>(random_() % hosts); }
  std::uint32_t host_but(std::uint32_t other) {
    const auto chosen = host();
    return chosen == other ? host_but(other) : chosen;
  }
  /// Up to the first switch above both, by ways drawn by lot, and down.
  void route(std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& route) {
    const auto edge = from / half, last_edge = to / half, pod = edge / half,
               last_pod = last_edge / half;
    const auto across = static_cast<std::uint32_t>(random_() % half),
               core = static_cast<std::uint32_t>(random_() % half);
    route.push_back(from);
    if (edge != last_edge) route.push_back(2 * hosts + edge * half + across);
    if (pod != last_pod) {
      route.push_back(4 * hosts + (pod * half + across) * half + core);
      route.push_back(5 * hosts + (last_pod * half + across) * half + core);
    }
    if (edge != last_edge) route.push_back(3 * hosts + last_edge * half + across);
    route.push_back(hosts + to);
  }
  std::uint64_t draw() { return random_(); }

 private:
  std::mt19937_64 random_{1};
};

/// Fair shares alone: a flow ends, another begins.
void fair_share_events(benchmark::State& state) {
  const auto count = static_cast<std::uint32_t>(state.range(0));
  FatTree tree;
  const auto wires = tree.wires();
  FairShare fair(wires);
  std::vector<std::uint32_t> route;
  const auto add = [&] {
    const auto from = tree.host();
    route.clear();
    tree.route(from, tree.host_but(from), route);
    return fair.add(route);
  };
  std::vector<FairShare::Slot> flows;
  for (std::uint32_t f = 0; f < count; ++f) flows.push_back(add());
  fair.refresh();
  std::uint64_t changed = 0;
  for ([[maybe_unused]] auto _ : state) {
    auto& flow = flows[tree.draw() % count];
    fair.remove(flow);
    changed += fair.refresh().size();
    flow = add();
    changed += fair.refresh().size();
  }
  state.SetItemsProcessed(2 * state.iterations());
  state.counters["rates/event"] = benchmark::Counter(static_cast<double>(changed) /
                                                     static_cast<double>(2 * state.iterations()));
}
BENCHMARK(fair_share_events)->Arg(30'000)->Arg(100'000)->Arg(200'000)->Iterations(20'000);

/// Messages that go from host to host, each on its next way as soon as it has arrived.
class Walks {
 public:
  Walks(std::uint32_t messages, std::uint32_t steps) {
    wiring_.wires = tree_.wires();
    std::vector<std::uint32_t> places(hosts);
    std::vector<Slot> at(messages);
    for (std::uint32_t s = 0; s < steps; ++s, builder_.next_step())
      for (auto& slot : at) {
        const auto from = s == 0 ? tree_.host() : slot.rank.value, to = tree_.host_but(from);
        const Slot next = scratch(to, places[to]++);
        builder_.copy(s == 0 ? input(from, 0) : slot, next);
        connect(from, to);
        slot = next;
      }
    auto schedule = std::move(builder_).build();
    RS_ASSERT(schedule, "every slot is written before it is read");
    schedule_ = *std::move(schedule);
    wiring_.schedule = &schedule_;
  }
  std::size_t size() const { return wiring_.connections.size(); }
  void run() {
    std::vector<Span> spans(size());
    RS_ASSERT(run_flow(wiring_, load_, spans, nullptr), "patience has no end");
  }

 private:
  void connect(std::uint32_t from, std::uint32_t to) {
    Connection c{.from = {from}, .to = {to}, .latency = {}};
    c.first_hop = static_cast<std::uint32_t>(wiring_.hops.size());
    tree_.route(from, to, wiring_.hops);
    c.hop_count = static_cast<std::uint32_t>(wiring_.hops.size()) - c.first_hop;
    c.latency = microseconds(c.hop_count);
    wiring_.connection_of.push_back(static_cast<std::uint32_t>(wiring_.connections.size()));
    wiring_.connections.push_back(c);
    load_.bytes.push_back({1'000'000 + tree_.draw() % 100'000'000});
    load_.work.push_back(work_of(load_.bytes.back(), {}, 0));
  }

  FatTree tree_;
  ScheduleBuilder builder_{{.kind = CollectiveKind::all_reduce, .ranks = hosts}, 1};
  Schedule schedule_;
  Wiring wiring_;
  Load load_{.bytes = {}, .work = {}, .start = std::vector<Duration>(hosts), .patience = {}};
};

void flow_on_a_fat_tree(benchmark::State& state) {
  Walks walks(static_cast<std::uint32_t>(state.range(0)), 3);
  for ([[maybe_unused]] auto _ : state) walks.run();
  state.SetItemsProcessed(2 * state.iterations() * static_cast<std::int64_t>(walks.size()));
}
BENCHMARK(flow_on_a_fat_tree)
    ->Arg(30'000)
    ->Arg(100'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ringside::sim::models
