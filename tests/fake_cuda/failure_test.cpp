// Every call of the CUDA runtime that the backend makes fails once, each at every place: the run
// ends with a sentence, nothing is left behind, and no wrong result passes for a right one.

#include <gmock/gmock.h>

#include "core/engine.hpp"
#include "gpu/cuda/cuda_backend.hpp"
#include "tests/fake_cuda/failing_call.hpp"

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

bool is_sentence(const std::string& message) {
  return message.find("CUDA") != message.npos && message.find("could not") != message.npos &&
         message.find("(cudaError") != message.npos;
}

/// A detour that is told.
bool may_pass(const std::string& function, const Outcome& outcome) {
  if (function == "cudaDeviceEnablePeerAccess")
    return testing::Matches(testing::Contains(testing::ContainsRegex(
        "no peer access between devices 0-.*1.*staged")))(outcome.measurement.notes);
  return is_an_end(function);
}

Attempt attempt_by(const std::string& executor) {
  return {[executor] { return attempt(executor); }, is_sentence, may_pass};
}

class CudaFailure : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Executors, CudaFailure, testing::Values("streams", "graph", "kernel"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(CudaFailure, EndsInASentenceAndLeavesNothing) {
  const Attempt tried = attempt_by(GetParam());
  const auto functions = functions_called(tried);
  EXPECT_THAT(functions, testing::Contains("cudaMalloc"));
  for (const auto& function : functions) {
    std::uint64_t k = 1;  // the first ones, then fewer and fewer
    while (fails(tried, function, k)) k += k < 8 ? 1 : k / 2;
    EXPECT_GT(k, 1u) << function << " was called, and never failed";
  }
}

class CudaFailureFull : public CudaFailure {};
INSTANTIATE_TEST_SUITE_P(Executors, CudaFailureFull, testing::Values("streams", "graph", "kernel"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(CudaFailureFull, AtEveryCallEndsInASentenceAndLeavesNothing) {
  const Attempt tried = attempt_by(GetParam());
  for (const auto& function : functions_called(tried))
    for (std::uint64_t k = 1; fails(tried, function, k);) ++k;
}

/// A kernel that touches what it must not ends all, as on a real device.
TEST_P(CudaFailure, AKernelsFaultEndsTheRun) {
  for (int kernel = 1;; ++kernel) {
    const Machine machine(std::string(machine_of_failures) + ",fault=" + std::to_string(kernel));
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
