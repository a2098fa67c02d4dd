// `step --trace` writes what `view --trace` opens.

#include <gmock/gmock.h>

#include <filesystem>

#include "core/formats/trace_json.hpp"
#include "tests/viz/command.hpp"
#include "viz/stage/staged_run.hpp"

namespace ringside::terminal {
namespace {

namespace fs = std::filesystem;

TEST(StepTrace, IsTheRunThatTheWindowWouldStage) {
  const std::string path =
      fs::temp_directory_path() / ("step_trace_" + std::to_string(getpid()) + ".json");
  const Ran ran = run({"step", "--system", "dgx-a100", "--ranks", "8", "--bytes", "3M", "--slow",
                       "gpu1->nvsw0=4x", "--trace", path});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out + ran.err, "");
  const auto opened = stage::stage_trace(path);
  fs::remove(path);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_FALSE((*opened)->is_logical) << "the share string in it says how to run it again";
  EXPECT_EQ((*opened)->scenario.system.slow, std::vector<std::string>{"gpu1->nvsw0=4x"});
  EXPECT_EQ((*opened)->time(), *(*opened)->row.time);
}

TEST(StepTrace, GoesToStandardOutputToo) {
  const Ran ran = run({"step", "--ranks", "4", "--trace", "-"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(trace_from_json(ran.out, "it"));
}

TEST(StepTrace, ThatCannotBeWrittenIsRefused) {
  const Ran ran = run({"step", "--trace", "/no/such/folder/run.json"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, testing::HasSubstr("/no/such/folder/run.json"));
}

}  // namespace
}  // namespace ringside::terminal
