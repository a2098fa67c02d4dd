#include "sim/backend.hpp"

#include "tests/sim/bench.hpp"

namespace ringside::sim {
namespace {

TEST(SimBackend, MeasuresWhatTheSimulatorSays) {
  const auto schedule = story(CollectiveKind::all_reduce, "ring", 4);
  const auto t = shape(ShapeKind::ring, 4);
  const auto expected = need(simulate(schedule, {1'000}, t, NetworkModel::flow));
  const auto backend = make_backend(t, NetworkModel::flow);
  EXPECT_EQ(backend->name(), "sim");
  EXPECT_TRUE(backend->capabilities().agents);
  EXPECT_FALSE(backend->capabilities().real_bytes);
  Memory memory;
  Work work;
  work.schedule = &schedule;
  work.count = 1'000;
  const auto prepared = need(backend->prepare(work, memory, {.trace = true}));
  const auto measured = need(prepared->run(3));
  EXPECT_EQ(measured.iterations, std::vector<Duration>(3, expected.time));
  ASSERT_EQ(measured.trace.size(), schedule.transfers().size());
  EXPECT_EQ(measured.trace.back().commit, expected.spans.back().commit);
  EXPECT_FALSE(prepared->run(0));
  EXPECT_TRUE(need(need(backend->prepare(work, memory, {}))->run(1)).trace.empty());
}

TEST(SimBackend, PassesOnWhyNot) {
  const auto schedule = story(CollectiveKind::all_reduce, "ring", 4);
  const auto t = shape(ShapeKind::ring, 3);
  Memory memory;
  Work work;
  work.schedule = &schedule;
  const auto prepared = make_backend(t, NetworkModel::stream)->prepare(work, memory, {});
  ASSERT_FALSE(prepared);
  EXPECT_NE(prepared.error().message.find("4 take part"), std::string::npos);
}

TEST(NetworkModels, HaveNames) {
  for (const auto model : both_models) EXPECT_EQ(need(parse_network_model(name(model))), model);
  EXPECT_NE(parse_network_model("flwo").error().message.find("did you mean flow"),
            std::string::npos);
}

}  // namespace
}  // namespace ringside::sim
