// Every call of the CUDA runtime that the backend makes fails once, each at every place: the run
// ends with a sentence, nothing is left behind, and no wrong result passes for a right one.

#include <gmock/gmock.h>

#include "core/engine.hpp"
#include "gpu/cuda/cuda_backend.hpp"
#include "tests/fake_cuda/machine.hpp"

namespace fake {
namespace {

using namespace ringside;

/// Nothing takes so long, unless somebody waits in vain.
constexpr Duration patience = microseconds(20'000'000);

/// A small all-reduce by this executor: in both ways of placing peers, some staged, some not.
Result<Outcome> attempt(const std::string& executor) {
  RS_ASSIGN(const auto backend, make_cuda_backend({}));
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_proven(*make_plan(**ring, {.ranks = 4}, {})).value();
  return execute(*backend, {&schedule, 16, ElementType::float32, ReduceOp::avg},
                 {.iterations = 2, .run = {.executor = executor, .timeout = patience}});
}

constexpr const char* machine_of_tests = "devices=3,peers=partial";

/// What may not be: nothing, or a sentence.
std::string complaint_about(const Result<Outcome>& outcome, bool has_failed) {
  if (outcome)
    return outcome->comparison.wrong > 0 ? "wrong data: " + outcome->comparison.first : "";
  if (!has_failed) return "without a failure: " + outcome.error().message;
  const auto& [kind, message] = outcome.error();
  if (kind == ErrorKind::request) return "blames the request: " + message;
  const bool is_sentence = message.find("CUDA") != message.npos &&
                           message.find("could not") != message.npos &&
                           message.find("(cudaError") != message.npos;
  return is_sentence ? "" : "says too little: " + message;
}

/// What a failure may lead to other than an error: a detour that is told, or nothing where the end
/// of something failed that was of no more use.
bool may_pass(const std::string& function, const Outcome& outcome) {
  if (function == "cudaDeviceEnablePeerAccess")
    return testing::Matches(testing::Contains(testing::ContainsRegex(
        "no peer access between devices 0-.*1.*staged")))(outcome.measurement.notes);
  return function.find("Free") != function.npos || function.find("Destroy") != function.npos;
}

/// Fails call `k` of that function. False when there was no such call.
bool fail(const std::string& executor, const std::string& function, std::uint64_t k) {
  const auto what = executor + ", call " + std::to_string(k) + " of " + function;
  Machine machine(std::string(machine_of_tests) + ",fail=" + function + ":" + std::to_string(k));
  const auto outcome = attempt(executor);
  const bool has_failed = ringside_fake_cuda_has_failed() == 1;
  EXPECT_EQ(complaint_about(outcome, has_failed), "") << what;
  EXPECT_TRUE(!has_failed || !outcome || may_pass(function, *outcome)) << what << " was not told";
  EXPECT_EQ(machine.findings(), "") << what;
  return has_failed;
}

std::vector<std::string> functions_of(const std::string& executor) {
  Machine machine(machine_of_tests);
  const auto outcome = attempt(executor);
  EXPECT_EQ(complaint_about(outcome, false), "");
  return Machine::called();
}

class CudaFailure : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Executors, CudaFailure, testing::Values("streams", "graph", "kernel"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(CudaFailure, EndsInASentenceAndLeavesNothing) {
  const auto functions = functions_of(GetParam());
  EXPECT_THAT(functions, testing::Contains("cudaMalloc"));
  for (const auto& function : functions) {
    std::uint64_t k = 1;  // the first ones, then fewer and fewer
    while (fail(GetParam(), function, k)) k += k < 8 ? 1 : k / 2;
    EXPECT_GT(k, 1u) << function << " was called, and never failed";
  }
}

class CudaFailureFull : public CudaFailure {};
INSTANTIATE_TEST_SUITE_P(Executors, CudaFailureFull, testing::Values("streams", "graph", "kernel"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(CudaFailureFull, AtEveryCallEndsInASentenceAndLeavesNothing) {
  for (const auto& function : functions_of(GetParam()))
    for (std::uint64_t k = 1; fail(GetParam(), function, k);) ++k;
}

/// A kernel that touches what it must not ends all, as on a real device.
TEST_P(CudaFailure, AKernelsFaultEndsTheRun) {
  for (int kernel = 1;; ++kernel) {
    const Machine machine(std::string(machine_of_tests) + ",fault=" + std::to_string(kernel));
    const auto outcome = attempt(GetParam());
    if (outcome && kernel > 10) break;  // there is no such kernel
    ASSERT_FALSE(outcome) << kernel;
    EXPECT_EQ(outcome.error().kind, ErrorKind::wrong);
    EXPECT_THAT(outcome.error().message, testing::HasSubstr("cudaErrorIllegalAddress"));
  }
}

TEST_P(CudaFailure, TooLittleMemoryIsTheMachinesLack) {
  const Machine machine("devices=1,memory=64KiB");
  const auto backend = make_cuda_backend({}).value();
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_proven(*make_plan(**ring, {.ranks = 4}, {})).value();
  const auto outcome = execute(*backend, {&schedule, 16'384}, {.run = {.executor = GetParam()}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::machine);
  EXPECT_THAT(outcome.error().message, testing::HasSubstr("could not allocate"));
}

}  // namespace
}  // namespace fake
