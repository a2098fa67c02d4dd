// Every call of NCCL and CUDA that the backend makes fails once, each at every place, and what can
// hang hangs: the run ends with a sentence, nothing is left behind, and no wrong result passes.

#include <gmock/gmock.h>

#include <cstdlib>

#include "core/engine.hpp"
#include "gpu/nccl/nccl_backend.hpp"
#include "tests/fake_cuda/failing_call.hpp"
#include "tests/fake_cuda/program.hpp"

namespace fake {
namespace {

using namespace ringside;
using testing::ContainsRegex;
using testing::HasSubstr;

/// What goes wrong in the library, for as long as this lives.
class Ordered {
 public:
  explicit Ordered(const char* trouble) { setenv("RINGSIDE_FAKE_NCCL", trouble, 1); }
  Ordered(const Ordered&) = delete;
  Ordered& operator=(const Ordered&) = delete;
  ~Ordered() { unsetenv("RINGSIDE_FAKE_NCCL"); }
};

Result<Outcome> attempt(const std::string& executor, Duration timeout) {
  RS_ASSIGN(const auto backend, make_nccl_backend({}));
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_proven(*make_plan(**ring, {.ranks = 3}, {})).value();
  return execute(*backend, {&schedule, 16, ElementType::float32, ReduceOp::mulsum, 2},
                 {.iterations = 2, .run = {.executor = executor, .timeout = timeout}});
}

bool is_sentence(const std::string& message) {
  return message.find(" could not ") != message.npos &&
         (message.find("CUDA") == 0 || message.find("NCCL") == 0);
}

class NcclFailure : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Executors, NcclFailure, testing::Values("grouped", "native"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(NcclFailure, EndsInASentenceAndLeavesNothing) {
  const std::string executor = GetParam();
  const Attempt tried{
      [executor] { return attempt(executor, microseconds(20'000'000)); }, is_sentence,
      [](const std::string& function, const Outcome&) { return is_an_end(function); }};
  const auto functions = functions_called(tried);
  EXPECT_THAT(functions, testing::Contains("ncclGroupEnd"));
  for (const auto& function : functions) {
    std::uint64_t k = 1;  // the first ones, then fewer and fewer
    while (fails(tried, function, k)) k += k < 8 ? 1 : k / 2;
    EXPECT_TRUE(k > 1 || function == "ncclCommAbort") << function << " never failed";
  }
}

TEST_P(NcclFailure, WhatStreamsDoNotDoIsNamed) {
  const Machine machine(std::string(machine_of_failures) + ",stall=60");
  const auto outcome = attempt(GetParam(), microseconds(300'000));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::wrong);
  EXPECT_THAT(outcome.error().message, HasSubstr("within 300 ms"));
}

TEST(NcclFailure, AMessageThatNeverComesIsNamed) {
  const Ordered trouble("lose=3");
  Machine machine(machine_of_failures);
  const auto outcome = attempt("grouped", microseconds(300'000));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::wrong);
  EXPECT_THAT(outcome.error().message,
              ContainsRegex("^rank [0-2] on CUDA device [0-2] did not finish to receive transfer "
                            "[0-9]+ \\(step [0-9]\\) from rank [0-2], or 1 more of its group, "
                            "within 300 ms$"));
  EXPECT_EQ(machine.findings(), "");
}

TEST(NcclFailure, WhatNcclNoticesIsTold) {
  const Ordered trouble("error=4");
  const Machine machine(machine_of_failures);
  const auto outcome = attempt("grouped", microseconds(20'000'000));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message,
              ContainsRegex("^NCCL could not go on with rank [0-2]: .*another rank or the network "
                            "failed$"));
}

/// A second attempt on the same backend finds communicators that work.
TEST(NcclFailure, AfterAnAbortNewCommunicatorsAreMade) {
  const Machine machine(machine_of_failures);
  const auto backend = make_nccl_backend({}).value();
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_proven(*make_plan(**ring, {.ranks = 3}, {})).value();
  const Trial trial{.run = {.timeout = microseconds(300'000)}};
  {
    const Ordered trouble("lose=1");
    EXPECT_FALSE(execute(*backend, {&schedule, 16}, trial));
  }
  const auto outcome = execute(*backend, {&schedule, 16}, trial);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->comparison.wrong, 0u);
}

TEST(NcclFailure, OneDeviceForTwoRanksIsRefused) {
  const Machine machine("devices=2");
  const auto backend = make_nccl_backend({}).value();
  const auto ring = find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_proven(*make_plan(**ring, {.ranks = 3}, {})).value();
  const auto outcome = execute(*backend, {&schedule, 16}, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::machine);
  EXPECT_THAT(outcome.error().message, HasSubstr("for 3 ranks this process sees 2"));
}

Ran with_trouble(const std::string& trouble, const std::string& arguments) {
  return shell("RINGSIDE_FAKE_NCCL=" + trouble +
               " RINGSIDE_FAKE_CUDA=devices=3 LD_BIND_NOW=1 LD_LIBRARY_PATH=" RINGSIDE_FAKE_LIBRARY
               " timeout -k 5 60 " RINGSIDE_PROGRAM " " +
               arguments);
}

/// What cannot even be aborted ends with the process.
TEST(NcclFailure, WhatHangsForEverEndsTheProgram) {
  const std::string run = "run --backend nccl --ranks 3 -b 1K -e 1K --timeout 400ms";
  const auto stuck = with_trouble("lose=2,abort=hang", run);
  EXPECT_EQ(stuck.status, 1) << stuck.text;
  EXPECT_THAT(stuck.text, ContainsRegex("ringside: rank [0-2] on CUDA device [0-2] did not finish "
                                        "to receive transfer .* within 400 ms\n$"));
  const auto lonely = with_trouble("init=hang", run);
  EXPECT_EQ(lonely.status, 1) << lonely.text;
  EXPECT_THAT(lonely.text, HasSubstr("ringside: NCCL did not connect 3 ranks: a rank may be "
                                     "missing within 400 ms\n"));
}

}  // namespace
}  // namespace fake
