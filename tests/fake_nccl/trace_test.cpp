// What groups of sends and receives tell of a run, and who tells nothing.

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/engine.hpp"
#include "core/file.hpp"
#include "core/formats/trace_json.hpp"
#include "gpu/nccl/nccl_backend.hpp"
#include "tests/fake_cuda/courses.hpp"
#include "tests/fake_cuda/machine.hpp"
#include "tests/fake_cuda/program.hpp"

namespace fake {
namespace {

using namespace ringside;
using testing::HasSubstr;

Result<Outcome> traced(const Schedule& schedule, const std::string& executor) {
  RS_ASSIGN(const auto backend, make_nccl_backend({}));
  Trial trial{.iterations = 3};
  trial.run.trace = true;
  trial.run.executor = executor;
  return execute(*backend, Work{&schedule, 1000}, trial);
}

TEST(NcclTrace, HasASpanForEachTransferInTheOrderOfTheirData) {
  for (const auto& [algorithm, ranks, unused] : cuda::courses)
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(std::string(algorithm) + ", " + std::to_string(ranks) + " ranks");
      const Machine machine("devices=" + std::to_string(ranks) + ",seed=" + std::to_string(seed));
      const CollectiveSpec spec{.ranks = ranks};
      const auto plan = make_plan(**find_algorithm(spec.kind, algorithm), spec, {}).value();
      const auto schedule = build_proven(plan).value();
      const auto outcome = traced(schedule, "grouped");
      ASSERT_TRUE(outcome) << outcome.error().message;
      EXPECT_EQ(outcome->comparison.wrong, 0u);
      const auto& measured = outcome->measurement;
      ASSERT_EQ(measured.trace.size(), schedule.transfers().size());
      cuda::expect_order(schedule, measured, &Span::begin);
      EXPECT_GT(measured.clock_error, Duration{});
      for (const Span& span : measured.trace) EXPECT_GT(span.read, span.begin);
    }
}

TEST(NcclTrace, OfNcclsOwnCollectiveHasASpanForEachRank) {
  const Machine machine("devices=3");
  const auto plan =
      make_plan(**find_algorithm(CollectiveKind::all_reduce, "ring"), {.ranks = 3}, {}).value();
  const auto schedule = build_proven(plan).value();
  const auto outcome = traced(schedule, "native");
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->measurement.trace.size(), 3u);
  for (const Span& span : outcome->measurement.trace) EXPECT_GT(span.commit, span.begin);
}

TEST(NcclTrace, OfNcclsOwnCollectiveIsDrawnThroughAHub) {
  const std::string path = testing::TempDir() + "native_trace_" + std::to_string(getpid());
  const auto ran = ringside(
      "devices=3", "run --backend nccl --executor native -b 64K -e 64K -n 2 --trace " + path);
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("on nccl/native, in "));
  EXPECT_THAT(ran.text, HasSubstr("# it has one span a rank: what moved inside is not known"));
  const auto recorded = trace_from_json(*read_file(path), "t");
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_EQ(recorded->spans.size(), 6u);
  const auto state = path + "_state";
  const auto viewed = ringside("devices=1", "view --trace " + path + " --dump-state " + state);
  if (viewed.status == 3) GTEST_SKIP() << "no window here: " << viewed.text;
  ASSERT_EQ(viewed.status, 0) << viewed.text;
  EXPECT_THAT(*read_file(state), HasSubstr("nccl/native"));
  std::filesystem::remove(path);
  std::filesystem::remove(state);
}

TEST(NcclTrace, IsWrittenAndReadAgain) {
  const std::string path = testing::TempDir() + "nccl_trace_" + std::to_string(getpid());
  const auto ran =
      ringside("devices=4", "run --backend nccl --ranks 4 -b 64K -e 64K -n 2 --trace " + path);
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("# trace of ring, 64 KiB, out of place, on nccl/grouped, in "));
  const auto text = read_file(path);
  ASSERT_TRUE(text);
  const auto recorded = trace_from_json(*text, "t");
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_EQ(recorded->row.backend, "nccl/grouped");
  const auto perfetto = ringside("devices=4", "trace --trace " + path);
  EXPECT_EQ(perfetto.status, 0) << perfetto.text;
  EXPECT_THAT(perfetto.text, HasSubstr("rank 3 (GPU 3)"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace fake
