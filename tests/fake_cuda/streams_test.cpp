// The stream paths on the fake machine: every algorithm, whatever order its streams take.

#include "gpu/cuda/streams.hpp"

#include <gmock/gmock.h>

#include "gpu/cuda/cuda_backend.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/cuda/plan_mistakes.hpp"
#include "tests/cuda/scenes.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace ringside::cuda {
namespace {

using conformance::Report;

constexpr const char* machines[] = {"devices=4", "devices=1", "devices=3,peers=none",
                                    "devices=8,peers=partial", "devices=4,peers=broken"};

std::string seeded(const std::string& machine, std::uint64_t seed) {
  return machine + ",seed=" + std::to_string(seed);
}

/// The stream paths as they are when messages are long: cut into slices, two streams a rank; or
/// with a mistake made in every plan.
class Prepares final : public Backend {
 public:
  Prepares(bool graph, SliceLimits slices, std::function<void(StreamPlan&)> tamper = {})
      : graph_(graph), slices_(slices), tamper_(std::move(tamper)) {}
  std::string_view name() const override { return "prepares"; }
  Capabilities capabilities() const override { return {.agents = true, .real_bytes = true}; }
  Result<std::unique_ptr<Prepared>> prepare(const Work& work, Memory& memory,
                                            const RunOptions& options) override {
    const auto devices = list_devices().value();
    return prepare_streams(work, memory, options,
                           {place_ranks(work.schedule->participants(), devices),
                            probe_peers(devices).value(), graph_, slices_, tamper_});
  }

 private:
  bool graph_;
  SliceLimits slices_;
  std::function<void(StreamPlan&)> tamper_;
};

/// Every nth of all pairs of what there is to choose, on machines that take turns.
Report run_in_slices(bool graph, std::size_t nth) {
  Report report;
  std::size_t turn = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& c : conformance::cases_of(algorithm, {1, 2, 3, 4, 6, 7, 8})) {
      if (++turn % nth != 0) continue;
      const fake::Machine machine(seeded(machines[turn / nth % std::size(machines)], turn));
      Prepares backend(graph, {32, 16, turn % 2 == 0 ? 0u : 64u});
      conformance::run(backend, c, report);
    }
  return report;
}

TEST(Streams, GiveTheRightResultInSlices) {
  const auto report = run_in_slices(false, 9);
  EXPECT_GT(report.cases, 300);
  EXPECT_EQ(report.failures, std::vector<std::string>{});
}

TEST(Streams, GiveTheRightResultInSlicesAsAGraph) {
  const auto report = run_in_slices(true, 11);
  EXPECT_GT(report.cases, 250);
  EXPECT_EQ(report.failures, std::vector<std::string>{});
}

struct Attempt {
  const Scene& scene;
  const PlanMistake& mistake;
  std::uint64_t place;
};

/// Whether this order of the streams shows it; nothing if there is no place for the mistake.
std::optional<bool> shows(const Attempt& attempt, std::uint64_t seed, bool graph) {
  const Scene& scene = attempt.scene;
  fake::Machine machine(seeded(
      "devices=" + std::to_string(scene.devices) + (scene.peers ? ",peers=full" : ",peers=none"),
      seed));
  bool is_made = false;
  Prepares backend(graph, scene.limits,
                   [&](StreamPlan& plan) { is_made = attempt.mistake.make(plan, attempt.place); });
  const auto schedule = scene.build();
  const auto outcome = execute(backend, work_of(scene, schedule), {.seed = seed});
  const bool is_found = !outcome || outcome->comparison.wrong > 0;
  const bool is_forbidden = !machine.findings().empty();
  if (!is_made) return std::nullopt;
  return is_found || is_forbidden;
}

/// The first sentence of where it was shown; empty if nowhere.
std::string where_shown(const PlanMistake& mistake, bool graph) {
  for (const Scene& scene : scenes)
    for (std::uint64_t place = 0; place < 4; ++place)
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto shown = shows({scene, mistake, 7 * place}, seed, graph);
        if (shown.value_or(false))
          return std::string(scene.algorithm) + " by seed " + std::to_string(seed);
        if (!shown) break;
      }
  return "";
}

TEST(StreamMistakes, AreShownBySomeOrder) {
  for (const bool graph : {false, true})
    for (const PlanMistake& mistake : plan_mistakes())
      EXPECT_NE(where_shown(mistake, graph), "") << mistake.name << (graph ? " as a graph" : "");
}

/// What three iterations in place leave behind, each starting from what the one before left.
std::vector<std::int32_t> three_in_place(Backend& backend, const Schedule& schedule) {
  const auto ranks = schedule.spec().ranks;
  constexpr std::size_t count = 64;
  std::vector<std::int32_t> data(ranks * count);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::int32_t>(i * i % 101);
  Memory memory;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto bytes = std::as_writable_bytes(std::span(data).subspan(r * count, count));
    memory.ranks.push_back({bytes, bytes});
  }
  auto prepared = backend.prepare({&schedule, count, ElementType::int32}, memory, {});
  return prepared && (*prepared)->run(3) ? data : std::vector<std::int32_t>{};
}

/// The waits in the order in which they are made: streams fork first, and at the start nothing is
/// under way. All others are shown to be needed, also those between iterations.
TEST(StreamMistakes, NoWaitOfAnyIterationCanBeForgotten) {
  const CollectiveSpec spec{.ranks = 2, .in_place = true};
  const auto plan = make_plan(**find_algorithm(spec.kind, "ring"), spec, {}).value();
  const auto schedule = build_proven(plan).value();
  const auto wanted = three_in_place(*make_reference_backend(), schedule);
  const auto is_shown = [&](std::uint64_t forgotten, std::uint64_t& waits) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      fake::Machine machine(seeded("devices=2,drop=" + std::to_string(forgotten), seed));
      const auto got = three_in_place(*make_cuda_backend({}).value(), schedule);
      waits = ringside_fake_cuda_calls("cudaStreamWaitEvent");
      if (!machine.findings().empty() || got != wanted) return true;
    }
    return false;
  };
  std::uint64_t waits = 0;
  EXPECT_FALSE(is_shown(0, waits));
  EXPECT_EQ(waits, 18u);  // an iteration: two streams fork, wait for each other, and join
  for (std::uint64_t forgotten = 3, all = waits; forgotten <= all; ++forgotten)
    EXPECT_TRUE(is_shown(forgotten, waits)) << "wait " << forgotten << " of " << all;
}

}  // namespace
}  // namespace ringside::cuda
