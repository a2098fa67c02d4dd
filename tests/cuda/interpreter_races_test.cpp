// Memory orders, and waits that must end: the interpreter on real threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "core/guarded_memory.hpp"
#include "tests/conformance/backend_conformance.hpp"
#include "tests/cuda/interpreter_backend.hpp"

namespace ringside::cuda::interpreter {
namespace {

/// Blocks of two threads each that now and then fall asleep.
TEST(InterpreterThreads, DoEveryAlgorithmRight) {
  for (const Algorithm& algorithm : all_algorithms()) {
    conformance::Report report;
    RigBackend backend({.threads = 2, .timeout_ns = 60'000'000'000});
    conformance::Case c;
    c.algorithm = &algorithm;
    c.problem = {.spec = {algorithm.collective, 3}, .count = 67, .type = ElementType::float16};
    conformance::run(backend, c, report);
    EXPECT_EQ(report.failures, std::vector<std::string>{});
  }
}

/// A message that is never announced: one rank says what it waited for, the others stop at once.
TEST(InterpreterThreads, NameWhatTheyWaitedForInVain) {
  static Flag nowhere = 0;
  RigOptions options{.cutting = {.ctas = 1}, .threads = 1, .timeout_ns = 200'000'000};
  options.spoil_tables = [](Job& job, Task* tasks) {
    for (std::uint32_t t = 0; t < job.task_count; ++t) {
      const Task& task = tasks[t];
      const auto& first = task.operands[task.instructions[0].operands + 1];
      if (t == 2 && first.site == Site::sent)
        const_cast<Wire&>(task.wires[first.index]).tell = &nowhere;
    }
  };
  RigBackend backend(options);
  const auto* ring = *find_algorithm(CollectiveKind::all_reduce, "ring");
  const auto schedule = build_proven(*make_plan(*ring, {.ranks = 4}, {})).value();
  const auto outcome = execute(backend, {&schedule, 64}, {});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(
      outcome.error().message,
      testing::MatchesRegex("rank [0-3], channel 0, thread block 0 waited for rank [0-3] to "
                            "(send|take what was sent before) transfer [0-9]+ "
                            "\\(step [0-9]+\\), on which its own "
                            "transfer [0-9]+ \\(step [0-9]+\\) depends"));
}

#if defined(RINGSIDE_INTERPRETER_RACES)
constexpr int seen = 66;

/// Exit status of the program that ThreadSanitizer watches.
int races(const std::string& what) {
  const auto command =
      "TSAN_OPTIONS=halt_on_error=1 '" RINGSIDE_INTERPRETER_RACES "' " + what + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  const int status = pclose(pipe);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  EXPECT_THAT(text, code == seen ? testing::HasSubstr("ThreadSanitizer: data race")
                                 : testing::Matcher<std::string>(testing::IsEmpty()));
  return code;
}

TEST(InterpreterRaces, AreNotSeenInTheProtocol) {
  EXPECT_EQ(races(""), 0);
}

TEST(InterpreterRacesFull, AreNotSeenInAnyAlgorithm) {
  EXPECT_EQ(races("all"), 0);
}

class InterpreterRace : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Each, InterpreterRace,
                         testing::Values("relaxed_message_release", "relaxed_message_acquire",
                                         "relaxed_credit_release", "relaxed_credit_acquire",
                                         "relaxed_progress_release", "relaxed_progress_acquire",
                                         "no_barriers"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(InterpreterRace, IsSeen) {
  EXPECT_EQ(races(GetParam()), seen);
}
#endif

}  // namespace
}  // namespace ringside::cuda::interpreter
