// The one-kernel path on the fake machine: its thread blocks on CPU threads, all else as compiled.

#include <gmock/gmock.h>

#include "core/guarded_memory.hpp"
#include "gpu/cuda/cuda_backend.hpp"
#include "gpu/cuda/interpreter/device_side.hpp"
#include "gpu/cuda/interpreter/launch.hpp"
#include "gpu/cuda/interpreter/one_kernel.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/fake_cuda/courses.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace ringside::cuda {
namespace {

using conformance::Report;

constexpr const char* machines[] = {"devices=4",
                                    "devices=1",
                                    "devices=3,peers=none",
                                    "devices=8,peers=partial",
                                    "devices=4,peers=broken",
                                    "devices=3,peers=deaf"};

/// All pairs of what there is to choose (every nth case of those), on machines that take turns.
Report run_all(std::size_t nth) {
  Report report;
  std::size_t turn = 0;
  for (const Algorithm& algorithm : all_algorithms())
    for (const auto& c : conformance::cases_of(algorithm, {1, 2, 3, 4, 6, 7, 8})) {
      if (++turn % nth != 0) continue;
      const auto machine_text = std::string(machines[turn / nth % std::size(machines)]);
      const fake::Machine machine(machine_text + ",seed=" + std::to_string(turn));
      auto backend = make_cuda_backend({.ctas = turn % 3 == 0 ? 0u : 2u, .threads = 64}).value();
      conformance::run(*backend, c, report, "kernel");
    }
  return report;
}

TEST(Kernel, GivesTheRightResultOnEveryMachine) {
  const auto report = run_all(11);
  EXPECT_GT(report.cases, 100);
  EXPECT_EQ(report.failures, std::vector<std::string>{});
}

TEST(KernelFull, GivesTheRightResultOnEveryMachine) {
  EXPECT_EQ(run_all(1).failures, std::vector<std::string>{});
}

/// A value that passes through a rank leaves as it comes: what has arrived when it begins to leave
/// is its first bytes; but the last ones leave after they came.
TEST(KernelTrace, HasASpanForEachTransferInTheOrderOfTheirData) {
  for (const auto& [algorithm, ranks, machine] : courses) {
    SCOPED_TRACE(std::string(algorithm) + " on " + machine);
    const fake::Machine fake(machine);
    const CollectiveSpec spec{.ranks = ranks};
    const auto plan = make_plan(**find_algorithm(spec.kind, algorithm), spec, {}).value();
    const auto schedule = build_proven(plan).value();
    Trial trial{.iterations = 3, .run = {.trace = true, .executor = "kernel"}};
    const auto backend = make_cuda_backend({.ctas = 2}).value();
    const auto outcome = execute(*backend, Work{&schedule, 5000}, trial).value();
    EXPECT_EQ(outcome.comparison.wrong, 0u);
    const auto& measured = outcome.measurement;
    ASSERT_EQ(measured.trace.size(), schedule.transfers().size());
    expect_order(schedule, measured, &Span::read);
    EXPECT_EQ(measured.clock_error > Duration{}, std::string(machine) != "devices=1");
    for (const Span& span : measured.trace) {
      EXPECT_GT(span.commit, span.begin);
      EXPECT_LE(span.read, span.arrival);
    }
  }
}

Result<Outcome> attempt(const CudaOptions& options, std::uint32_t ranks) {
  RS_ASSIGN(const auto backend, make_cuda_backend(options));
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_proven(*make_plan(**ring, {.ranks = ranks}, {})).value();
  return execute(*backend, {&schedule, 1'000}, {.run = {.executor = "kernel"}});
}

TEST(KernelResidency, SaysHowManyBlocksADeviceHolds) {
  const fake::Machine machine("devices=2,sms=4");
  const auto sentence = [](const CudaOptions& options, std::uint32_t ranks) {
    const auto outcome = attempt(options, ranks);
    if (outcome) return std::string();
    EXPECT_EQ(outcome.error().kind, ErrorKind::request);
    return outcome.error().message;
  };
  EXPECT_EQ(sentence({.ctas = 4, .threads = 512}, 8), "");
  EXPECT_EQ(sentence({.ctas = 5, .threads = 512}, 8),
            "--ctas 5 makes 20 thread blocks of 512 threads on CUDA device 0, which holds 16 at "
            "once: at most --ctas 4");
  EXPECT_EQ(sentence({.threads = 1024}, 40),
            "executor kernel needs 20 thread blocks of 1024 threads at once on CUDA device 0, "
            "which holds 8: ask for fewer --threads, or for fewer ranks or channels");
  EXPECT_EQ(sentence({.threads = 100}, 4), "--threads is a multiple of 32 up to 1024, not 100");
  EXPECT_EQ(sentence({.threads = 64}, 40), "") << "its own choice fits";
}

TEST(KernelResidency, NeedsCooperativeLaunch) {
  const fake::Machine machine("devices=1,cooperative=0");
  const auto outcome = attempt({}, 2);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::machine);
  EXPECT_THAT(outcome.error().message, testing::HasSubstr("has no cooperative launch"));
}

/// What a CUDA graph holds is launched as it was captured, again and again: whatever counts must go
/// on counting on the device.
TEST(KernelGraph, IsReplayedOnOtherData) {
  using namespace interpreter;
  const fake::Machine machine("devices=1");
  for (const char* algorithm : {"ring", "recursive_doubling"}) {
    const Problem problem{.spec = {.ranks = 4, .in_place = true}, .count = 1'003};
    const auto plan =
        make_plan(**find_algorithm(problem.spec.kind, algorithm), problem.spec, {}).value();
    const auto schedule = build_proven(plan).value();
    const Work work{&schedule, problem.count};
    const auto backend = make_cuda_backend({}).value();
    GuardedMemory memory(problem, owned_ranks(*backend, 4));
    auto program = compile(work);
    const std::vector<bool> staged(program.connections.size());
    const Tables tables(work, std::move(program), {.ctas = 2}, staged);
    const auto sides =
        make_sides(work, memory.memory(), tables, place_ranks(4, choose_devices({}).value()))
            .value();
    const DeviceSide& side = sides.devices.front();
    cudaGraph_t captured = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(side.stream.get(), cudaStreamCaptureModeRelaxed), cudaSuccess);
    ASSERT_EQ(launch(problem.type, side.job, 64, side.stream.get()), cudaSuccess);
    ASSERT_EQ(cudaStreamEndCapture(side.stream.get(), &captured), cudaSuccess);
    const Graph graph(captured, 0);
    ASSERT_EQ(cudaGraphInstantiate(&executable, captured, 0), cudaSuccess);
    const GraphExec replayed(executable, 0);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const DataSet data(problem, DataKind::exact, seed);
      memory.reset(data);
      ASSERT_TRUE(upload(memory.memory(), sides, false));
      ASSERT_EQ(cudaGraphLaunch(executable, side.stream.get()), cudaSuccess);
      ASSERT_TRUE(download(memory.memory(), sides));
      EXPECT_EQ(memory.check(data).wrong, 0u) << algorithm << ", launch " << seed;
    }
  }
}

/// One message too few: the blocks give up, say who waited for whom, and nothing is left behind.
TEST(KernelWatch, NamesRankAndTransferOfWhatDoesNotCome) {
  const fake::Machine machine("devices=2");
  const CollectiveSpec spec{.ranks = 4};
  const auto plan = make_plan(**find_algorithm(spec.kind, "ring"), spec, {}).value();
  const auto schedule = build_proven(plan).value();
  std::vector<std::byte> memory(8 * 4096);
  Memory ranks;
  for (std::size_t r = 0; r < 4; ++r)
    ranks.ranks.push_back({std::span(memory).subspan(2 * r * 4096, 4096),
                           std::span(memory).subspan((2 * r + 1) * 4096, 4096)});
  const auto devices = choose_devices({}).value();
  KernelSetup setup{place_ranks(4, devices), probe_peers(devices).value(), 1, 32};
  setup.tamper = [](interpreter::DeviceProgram& program) {
    program.blocks[2].instructions.clear();
  };
  auto prepared =
      prepare_kernel({&schedule, 1024}, ranks, {.timeout = microseconds(100'000)}, setup).value();
  const auto run = prepared->run(2);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::wrong);
  EXPECT_THAT(run.error().message,
              testing::MatchesRegex("rank [013], channel 0, thread block 0 waited for rank [0-3] "
                                    "to (send|take what was sent before) transfer [0-9]+ .step "
                                    "[0-9]+., on which its own transfer [0-9]+ .step [0-9]+. "
                                    "depends, for more than 100 ms"));
  EXPECT_EQ(prepared->run(1).error().message, run.error().message);
}

}  // namespace
}  // namespace ringside::cuda
