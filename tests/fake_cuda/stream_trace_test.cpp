// What streams tell of a run: one span a transfer, on one clock; and of a run that does not end.

#include <gmock/gmock.h>

#include "core/engine.hpp"
#include "gpu/cuda/cuda_backend.hpp"
#include "tests/fake_cuda/courses.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace ringside::cuda {
namespace {

using testing::HasSubstr;

TEST(StreamTrace, HasASpanForEachTransferInTheOrderOfTheirData) {
  for (const auto& [algorithm, ranks, machine] : courses)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(std::string(algorithm) + " on " + machine);
      const fake::Machine fake(machine + (",seed=" + std::to_string(seed)));
      const CollectiveSpec spec{.ranks = ranks};
      const auto plan = make_plan(**find_algorithm(spec.kind, algorithm), spec, {}).value();
      const auto schedule = build_proven(plan).value();
      Trial trial{.iterations = 3};
      trial.run.trace = true;
      const auto backend = make_cuda_backend({}).value();
      const auto outcome = execute(*backend, Work{&schedule, 1000}, trial).value();
      EXPECT_EQ(outcome.comparison.wrong, 0u);
      const auto& measured = outcome.measurement;
      ASSERT_EQ(measured.trace.size(), schedule.transfers().size());
      expect_order(schedule, measured, &Span::begin);
      EXPECT_EQ(measured.clock_error > Duration{}, std::string(machine) != "devices=1");
      Duration last{};
      for (const Span& span : measured.trace) last = std::max(last, span.commit);
      EXPECT_GT(last, Duration{});
      EXPECT_LE(last, measured.iterations.back() + measured.clock_error);
    }
}

TEST(StreamTrace, GraphsKeepNone) {
  const fake::Machine machine("devices=2");
  const CollectiveSpec spec{.ranks = 2};
  const auto plan = make_plan(**find_algorithm(spec.kind, "ring"), spec, {}).value();
  const auto schedule = build_proven(plan).value();
  Trial trial{};
  trial.run.trace = true;
  trial.run.executor = "graph";
  const auto backend = make_cuda_backend({}).value();
  const auto outcome = execute(*backend, Work{&schedule, 1000}, trial);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::request);
  EXPECT_THAT(outcome.error().message, HasSubstr("keeps no trace: streams does"));
}

/// A device that stops somewhere on the way.
TEST(StreamWatch, NamesDeviceTransferAndRanksOfWhatDoesNotEnd) {
  fake::Machine machine("devices=2,stall=60");
  const CollectiveSpec spec{.ranks = 8};
  const auto plan = make_plan(**find_algorithm(spec.kind, "direct"), spec, {}).value();
  const auto schedule = build_proven(plan).value();
  std::vector<std::byte> memory(16 * 4096);
  Memory ranks;
  for (std::size_t r = 0; r < 8; ++r)
    ranks.ranks.push_back({std::span(memory).subspan(2 * r * 4096, 4096),
                           std::span(memory).subspan((2 * r + 1) * 4096, 4096)});
  const auto backend = make_cuda_backend({}).value();
  RunOptions options;
  options.timeout = microseconds(100);
  auto prepared = backend->prepare({&schedule, 1024}, ranks, options).value();
  const auto run = prepared->run(1);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::wrong);
  EXPECT_THAT(run.error().message,
              testing::MatchesRegex("CUDA device [01] did not finish transfer [0-9]+ .step [01]. "
                                    "from rank [0-7] to rank [0-7] within 100 us"));
  EXPECT_EQ(prepared->run(1).error().message, run.error().message);
  prepared.reset();
  EXPECT_NE(machine.findings(), "");  // what hangs is left to the end of the process
}

}  // namespace
}  // namespace ringside::cuda
