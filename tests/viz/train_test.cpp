// `ringside train`: what it says, what it writes, and what it refuses.

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "tests/core/trace_events_rules.hpp"
#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(Train, EndsWithBothVerdicts) {
  const auto ran = run("train --workers 4 --steps 10");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("replicas identical: yes, bit by bit, after each of 10 steps\n"
                                 "equal to one worker with the whole batch: yes"));
  for (const char* phase : {"broadcast", "data", "forward", "loss", "backward", "gradient",
                            "all-reduce", "average", "optimizer", "update"})
    EXPECT_THAT(ran.out, HasSubstr("\n" + std::string(phase) + " "));
  EXPECT_EQ(ran.err, "") << "no progress into a pipe";
}

TEST(Train, GivesTheSameBytesAgain) {
  for (const std::string words : {"train --steps 5", "train --model transformer --steps 3 --json"})
    EXPECT_EQ(run(words).out, run(words).out);
}

/// A mistake that was asked for is shown, and no failure.
TEST(Train, SaysWhatIsWrongWithEachWrongWay) {
  const std::pair<const char*, const char*> wrong[] = {
      {"--no-sync", "replicas identical: no, as --no-sync leaves them: a weight differs by "},
      {"--no-broadcast", "replicas identical: no, as --no-broadcast leaves them"},
      {"--sum",
       "by --sum the gradient is 4 times as long, as if the learning rate were 4 and not 1"},
      {"--sum --optimizer adam", "adam hides that"},
      {"--average-losses --shards 3,1,1,1", "counts a worker with few samples like one with many"},
      {"--average-losses", "Equal shards hide what --average-losses does"},
  };
  for (const auto& [flags, said] : wrong) {
    const auto ran = run("train --steps 5 " + std::string(flags));
    EXPECT_EQ(ran.status, 0) << flags << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(said)) << flags;
  }
}

TEST(Train, WritesJson) {
  const auto ran = run("train --workers 2 --shards 3,1 --steps 4 --json --system dgx-h100");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto json = Json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  EXPECT_EQ(json["command"], "train");
  const auto& row = json["results"][0];
  EXPECT_EQ(row["batch"], 4);
  EXPECT_EQ(row["steps"].size(), 4u);
  EXPECT_EQ(row["replicas_identical"], true);
  EXPECT_EQ(row["equals_one_worker"], true);
  EXPECT_GT(row["predicted_us"], 0);
  EXPECT_EQ(row["first_step"]["workers"].size(), 2u);
  for (const auto& step : row["steps"]) {
    EXPECT_LE(step["share_of_bound"], 1);
    EXPECT_EQ(step["apart"], 0);
  }
}

TEST(Train, WritesARowAStepAsCsv) {
  const auto ran = run("train --steps 4 --csv");
  const auto rows = lines(ran.out);
  ASSERT_EQ(rows.size(), 5u);
  for (const auto& row : rows) EXPECT_EQ(std::ranges::count(row, ','), 8) << row;
}

TEST(Train, WritesATraceForPerfetto) {
  const auto file = testing::TempDir() + "ringside_train_" + std::to_string(getpid()) + ".json";
  EXPECT_EQ(run("train --workers 3 --steps 2 --trace " + file).status, 0);
  TraceEventRules rules;
  EXPECT_THAT(rules.faults_of(read_file(file).value_or("")), testing::IsEmpty());
  EXPECT_EQ(rules.processes, (std::set<std::string>{"worker 0", "worker 1", "worker 2"}));
  std::filesystem::remove(file);
}

TEST(Train, RefusesInOneSentence) {
  const std::pair<const char*, const char*> refused[] = {
      {"--task spiral", "did you mean spirals?"},
      {"--model transfomer", "did you mean transformer?"},
      {"--optimizer adm", "did you mean adam?"},
      {"--algorithm rign", "did you mean ring?"},
      {"--model transformer --task spirals", "a transformer reads sequences"},
      {"--shards 3,1", "add --workers 2"},
      {"--shards 0,0 --workers 2", "nobody has a sample"},
      {"--shards 3,,1", "is not a list of samples"},
      {"--shards 3,x", "is not a list of samples"},
      {"--shards -1", "is not a list of samples"},
      {"--shards 5000 --workers 1", "is not a list of samples"},
      {"--shards 3,1 --batch 4", "excludes"},
      {"--sum --no-sync", "excludes"},
      {"--workers 0", "--workers"},
      {"--lr nan", "--lr"},
      {"--backend sim", "--system dgx-h100"},
      {"--backend hots", "did you mean host?"},
      {"--system dgx-h10 --steps 100000", "--system: there is no system \"dgx-h10\""},
  };
  for (const auto& [flags, said] : refused) {
    const auto ran = run("train " + std::string(flags));
    EXPECT_EQ(ran.status, 2) << flags << ran.out;
    EXPECT_EQ(ran.out, "") << flags;
    EXPECT_THAT(ran.err, HasSubstr(said)) << flags;
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  }
}

}  // namespace
}  // namespace ringside::terminal
