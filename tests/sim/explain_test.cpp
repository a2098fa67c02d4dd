#include "sim/explain.hpp"

#include <algorithm>
#include <numeric>

#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

constexpr Duration mib{41'943'040};  // at 25 GB/s

Duration sum(const Explanation& e) {
  Duration total{};
  for (const Term& term : e.terms) total += term.time;
  return total;
}

/// The path's claims, checked against the run: each transfer waited for the one before.
void expect_a_chain(const Explanation& e, const Simulation& run, const Schedule& schedule) {
  ASSERT_FALSE(e.path.empty());
  EXPECT_EQ(run.spans[e.path.back().value].commit, e.time);
  for (std::size_t i = 1; i < e.path.size(); ++i) {
    const auto before = e.path[i - 1], after = e.path[i];
    const Span &earlier = run.spans[before.value], &later = run.spans[after.value];
    const auto needs = schedule.dependencies(after);
    const bool data = std::find(needs.begin(), needs.end(),
                                Dependency{before, DependencyKind::raw}) != needs.end();
    const auto connection = [&](TransferId id) {
      const Transfer& t = schedule[id];
      return std::tuple(t.src().rank, t.dst().rank, t.channel());
    };
    if (data && earlier.commit == later.ready) continue;
    EXPECT_EQ(connection(before), connection(after));
    EXPECT_EQ(earlier.read, later.ready);
  }
}

class ExplainRegistry : public testing::TestWithParam<const Algorithm*> {};

TEST_P(ExplainRegistry, TermsAddUpExactlyOnEveryShape) {
  const Algorithm& algorithm = *GetParam();
  const Disturbance calm, rough{.start = {3_us}, .jitter = 0.3, .jitter_seed = 5};
  int runs = 0;
  for (const auto kind :
       {ShapeKind::ring, ShapeKind::star, ShapeKind::mesh, ShapeKind::torus, ShapeKind::fattree})
    for (const std::uint32_t n : {2u, 5u, 8u}) {
      const auto plan = make_plan(algorithm, {algorithm.collective, n}, {});
      if (!plan) continue;
      auto topology = shape(kind, n);
      if (!place_agents(topology, plan->options.agents, plan->algorithm->in_switch)) continue;
      const auto schedule = need(build_schedule(*plan));
      const auto simulator = need(Simulator::prepare(schedule, topology));
      for (const auto model : both_models)
        for (const auto* disturbance : {&calm, &rough})
          for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{840} * 300 * n}) {
            const Payload payload{count, ElementType::float32};
            const auto run = need(simulator.run(payload, model, *disturbance));
            const auto why = need(explain(simulator, payload, model, *disturbance));
            EXPECT_EQ(why.time, run.time);
            EXPECT_EQ(sum(why), run.time) << algorithm.name << " on " << n << " ranks, "
                                          << name(model) << ", count " << count;
            expect_a_chain(why, run, schedule);
            Duration by_kind{};
            for (std::size_t k = 0; k < term_kind_count; ++k)
              by_kind += why.total(static_cast<TermKind>(k));
            EXPECT_EQ(by_kind, run.time);
            ++runs;
          }
    }
  EXPECT_GT(runs, 8);
}

std::vector<const Algorithm*> every_algorithm() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : all_algorithms()) all.push_back(&algorithm);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, ExplainRegistry, testing::ValuesIn(every_algorithm()),
                         [](const testing::TestParamInfo<const Algorithm*>& tested) {
                           return std::string(name(tested.param->collective)) + "_" +
                                  std::string(tested.param->name);
                         });

class ExplainModels : public testing::TestWithParam<NetworkModel> {
 protected:
  Explanation why(Told& told, const Topology& t, const Disturbance& disturbance = {}) {
    const auto simulator = need(Simulator::prepare(told.schedule(), t));
    return need(explain(simulator, told.payload(), GetParam(), disturbance));
  }
};
INSTANTIATE_TEST_SUITE_P(Models, ExplainModels, testing::ValuesIn(both_models),
                         [](const auto& p) { return std::string(name(p.param)); });

TEST_P(ExplainModels, TheRingIsLatencyAndBytesAlone) {
  const auto schedule = story(CollectiveKind::all_reduce, "ring", 8);
  const auto t = shape(ShapeKind::ring, 8);
  const auto simulator = need(Simulator::prepare(schedule, t));
  const auto e = need(explain(simulator, bytes(schedule, 8_MiB), GetParam()));
  EXPECT_EQ(e.path.size(), 14u);
  EXPECT_EQ(e.total(TermKind::latency), 14_us);
  EXPECT_EQ(e.total(TermKind::wire), 14 * mib);
}

TEST_P(ExplainModels, APipelineIsItsBytesOneAfterTheOther) {
  Told told(2, 5, 1_MiB);
  for (std::uint32_t c = 0; c < 5; ++c) told->copy(input(0, c), output(1, c));
  const auto e = why(told, shape(ShapeKind::star, 2));
  EXPECT_EQ(e.path.size(), 5u);
  EXPECT_EQ(e.total(TermKind::wire), 5 * mib);
  EXPECT_EQ(e.total(TermKind::latency), 2_us);
}

TEST_P(ExplainModels, TheWireIsTheNarrowestOfTheRoute) {
  for (const std::uint32_t narrow : {0u, 1u, 2u}) {
    Topology t = gpus(2);
    for (const char* name : {"sw0", "sw1"})
      t.add(Device{.name = name, .kind = DeviceKind::network_switch, .forwards = true});
    const DeviceId way[] = {{0}, {2}, {3}, {1}};
    for (std::uint32_t hop = 0; hop < 3; ++hop)
      t.join(way[hop], way[hop + 1], LinkKind::generic, hop == narrow ? 25_GBps : 100_GBps, 1_us);
    Told told(2, 1, 1_MiB);
    told->copy(input(0, 0), output(1, 0));
    const auto e = why(told, t);
    EXPECT_EQ(e.time, 3_us + mib);
    const auto wires = std::count_if(e.terms.begin(), e.terms.end(),
                                     [](const Term& x) { return x.kind == TermKind::wire; });
    ASSERT_EQ(wires, 1) << "one wire sets the pace";
    const auto& wire = *std::find_if(e.terms.begin(), e.terms.end(),
                                     [](const Term& x) { return x.kind == TermKind::wire; });
    EXPECT_EQ(wire.time, mib);
    ASSERT_TRUE(wire.link);
    EXPECT_EQ(*wire.link, LinkId{2 * narrow}) << t.link_name(*wire.link);
    const char* const names[] = {"gpu0->sw0", "sw0->sw1", "sw1->gpu1"};
    EXPECT_NE(
        to_string(wire, told.schedule(), t).find("41.94304 us wire " + std::string(names[narrow])),
        std::string::npos)
        << to_string(wire, told.schedule(), t);
  }
}

TEST_P(ExplainModels, NamesTheLinkAndWhoHadIt) {
  Told told(3, 1, 1_MiB);
  told->copy(input(0, 0), scratch(2, 0));
  told->copy(input(1, 0), scratch(2, 1));
  const auto t = shape(ShapeKind::star, 3);
  const auto e = why(told, t);
  EXPECT_EQ(e.time, 2_us + 2 * mib);
  const auto kind = GetParam() == NetworkModel::stream ? TermKind::wait_link : TermKind::share_link;
  EXPECT_EQ(e.total(kind), mib);
  const auto& term =
      *std::find_if(e.terms.begin(), e.terms.end(), [&](const Term& x) { return x.kind == kind; });
  ASSERT_TRUE(term.link && term.other);
  EXPECT_EQ(t.link_name(*term.link), "sw0->gpu2");
  EXPECT_EQ(term.transfer.value + term.other->value, 1u) << "one waits for the other";
  const auto text = to_string(term, told.schedule(), t);
  EXPECT_NE(text.find("link sw0->gpu2"), std::string::npos) << text;
  EXPECT_NE(text.find("rank 0 -> 2"), std::string::npos) << text;
}

TEST_P(ExplainModels, WaitingForAReaderIsNamed) {
  Told told(2, 2, 1_MiB);
  told->copy(input(1, 0), output(1, 0));
  told->next_step();
  told->copy(output(1, 0), output(0, 1));
  told->copy(input(0, 0), output(1, 0));
  auto t = gpus(2);
  t.add(Link{{0}, {1}, LinkKind::generic, 25_GBps, 1_us});
  t.add(Link{{1}, {0}, LinkKind::generic, {2'500'000'000}, 0_us});
  const auto e = why(told, t);
  // Both end at 10 MiB-times; the path is the smaller id's, then: the reader's own bytes.
  EXPECT_EQ(e.time, 10 * mib);
  EXPECT_EQ(e.total(TermKind::wire), 10 * mib);
  Told behind(2, 2, 1_MiB);
  behind->copy(input(1, 0), output(1, 0));
  behind->next_step();
  behind->copy(output(1, 0), scratch(0, 0));
  behind->copy(input(0, 0), output(1, 0));
  behind->next_step();
  behind->copy(output(1, 0), scratch(0, 1));
  const auto later = why(behind, t);
  EXPECT_EQ(later.total(TermKind::wait_order), 9 * mib - 1_us);
  const auto& term = *std::find_if(later.terms.begin(), later.terms.end(),
                                   [](const Term& x) { return x.kind == TermKind::wait_order; });
  EXPECT_EQ(term.transfer, TransferId{2});
  EXPECT_EQ(term.other, TransferId{1});
}

TEST_P(ExplainModels, StragglersAndJitterAreSetApart) {
  Told told(2, 1, 1_MiB);
  told->copy(input(0, 0), output(1, 0));
  const auto t = shape(ShapeKind::star, 2);
  const auto late = why(told, t, {.start = {7_us, 60_us}});
  EXPECT_EQ(late.time, 60_us);
  EXPECT_EQ(late.total(TermKind::straggle), 58_us - mib);
  const auto shaky = why(told, t, {.jitter = 0.5, .jitter_seed = 9});
  EXPECT_EQ(shaky.total(TermKind::wire), mib);
  EXPECT_EQ(shaky.total(TermKind::jitter), shaky.time - 2_us - mib);
  EXPECT_GT(shaky.total(TermKind::jitter), Duration{});
}

}  // namespace
}  // namespace ringside::sim
