// `step --trace` writes what `view --trace` opens; `trace` writes what Perfetto opens.

#include <gmock/gmock.h>

#include <filesystem>

#include "core/file.hpp"
#include "core/formats/trace_json.hpp"
#include "tests/core/trace_events_rules.hpp"
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

/// A run of `ringside trace`, which keeps the rules of the format.
TraceEventRules traced(const std::string& flags, const std::string& input = "") {
  const Ran ran = run(split("trace " + flags), input);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  TraceEventRules rules;
  EXPECT_THAT(rules.faults_of(ran.out), testing::IsEmpty()) << flags;
  return rules;
}

TEST(Trace, NamesThingsAsTheMachineDoes) {
  auto rules = traced("--system dgx-a100 --bytes 4M");
  EXPECT_THAT(rules.processes, testing::Contains("rank 3 (gpu3)"));
  EXPECT_THAT(rules.processes, testing::Contains("links: in use"));
  EXPECT_GT(rules.most["links: in use/gpu3->nvsw0"], 90);
}

TEST(Trace, OfBothModelsManyChannelsSwitchesAndFaultsKeepsTheRules) {
  for (const char* const flags :
       {"--ranks 5 --algorithm direct --system star --model stream",
        "--ranks 8 --algorithm multi_ring --channels 2 --system dgx-h100 --nodes 2 --net ndr",
        "--ranks 4 --algorithm nvls --system dgx-h100", "--ranks 6 --jitter 20%:7 --bytes 33",
        "--ranks 4 --collective all_to_all --algorithm direct --system star --straggler 2=10us",
        "--ranks 4 --collective barrier --algorithm dissemination"})
    EXPECT_GT(traced(flags).slices, 0u) << flags;
}

TEST(Trace, OfARealRunShowsWhichRanksTalk) {
  auto rules = traced("--backend host --ranks 4 --bytes 64K");
  EXPECT_THAT(rules.processes, testing::Contains("rank 3"));
  EXPECT_GT(rules.most["links: in use/rank3->rank0"], 0) << "in GB/s";
  EXPECT_EQ(rules.slices, 2u * 2 * 3 * 4);
}

TEST(Trace, OfASavedRunStandsOnItsMachineAgain) {
  const Ran saved =
      run("step --system dgx-a100 --ranks 8 --bytes 3M --slow gpu1->nvsw0=4x "
          "--trace -");
  auto rules = traced("--trace -", saved.out);
  EXPECT_GT(rules.most["links: in use/gpu1->nvsw0"], 99);
  std::string measured = saved.out;
  const std::string claim = "\"measured\":false";
  ASSERT_NE(measured.find(claim), std::string::npos);
  measured.replace(measured.find(claim), claim.size(), "\"measured\":true");
  rules = traced("--trace -", measured);
  EXPECT_GT(rules.most["links: in use/rank1->rank2"], 0) << "no machine to put it on";
}

TEST(Trace, GoesToAFileWhole) {
  const std::string path =
      fs::temp_directory_path() / ("trace_" + std::to_string(getpid()) + ".json");
  const Ran ran = run("trace --ranks 64 --bytes 1M --out " + path);  // 4.7 MB: several blocks
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out + ran.err, "");
  const auto text = read_file(path);
  fs::remove(path);
  ASSERT_TRUE(text);
  TraceEventRules rules;
  EXPECT_THAT(rules.faults_of(*text), testing::IsEmpty());
  EXPECT_EQ(rules.slices, 2u * 2 * 63 * 64);
}

TEST(Trace, RefusesWhatItCannotDo) {
  const auto refused = [](const std::string& flags, const char* why) {
    const Ran ran = run("trace " + flags);
    EXPECT_EQ(ran.status, 2) << flags;
    EXPECT_THAT(ran.err, testing::HasSubstr(why));
    EXPECT_EQ(ran.out, "");
  };
  refused("--algorithm best", "name it");
  refused("--backend host --algorithm all", "name it");
  refused("--backend host --system dgx-a100 --slow x=2x", "--system, --slow");
  refused("--backend host --executor direct --ranks 2 --timeout x", "--timeout");
  refused("--backend host --executor direct --ranks 2", "keeps no trace; host/ranks does");
  refused("--backend nowhere", "nowhere");
  refused("--trace x.json --bytes 4M", "leave --bytes away");
  refused("--trace /no/such/file", "/no/such/file");
  refused("--out /no/such/folder/t.json", "/no/such/folder/t.json");
}

}  // namespace
}  // namespace ringside::terminal
