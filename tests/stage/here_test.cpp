// What the window tells the program beside it, so that a run is done for real.

#include "viz/stage/here.hpp"

#include <gmock/gmock.h>

#include "viz/stage/action.hpp"

namespace ringside::stage {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> words_for(const std::string& share, const std::string& backend = "host") {
  const auto run = *stage_run(scenario::parse_share_string(share)->scenario);
  const auto words = arguments_to_run_here(*run, backend, "/there/run.json");
  EXPECT_TRUE(words) << words.error().message;
  return words.value_or(std::vector<std::string>{});
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST(RunHere, SaysAllThatTheScheduleAndItsDataAre) {
  EXPECT_EQ(joined(words_for("ring?ranks=6&bytes=1M&chunks=12")),
            "run --backend host --ranks 6 --collective all_reduce --algorithm ring --type float "
            "--op sum --chunks 12 --channels 1 -b 1048576 -e 1048576 -n 1 -w 1 --out-of-place "
            "--trace /there/run.json");
  EXPECT_THAT(joined(words_for("binomial?collective=broadcast&ranks=5&root=2&type=half")),
              AllOf(HasSubstr("--collective broadcast --algorithm binomial --type half --root 2"),
                    Not(HasSubstr("--op"))));
  EXPECT_THAT(words_for("ring?ranks=4&in-place=true&redop=max"),
              AllOf(Contains("--in-place"), Contains("max"), Not(Contains("--out-of-place"))));
  EXPECT_THAT(joined(words_for("ring?system=dgx-a100&bytes=1M")), HasSubstr("--ranks 8"))
      << "as many ranks as the machine has";
}

TEST(RunHere, SaysOnWhichBackend) {
  EXPECT_EQ(backend_of(Command::run_here), "host");
  EXPECT_EQ(backend_of(Command::run_by_nccl), "nccl");
  EXPECT_EQ(backend_of(Command::race), "");
  const auto cuda = std::string(backend_of(Command::run_on_gpus));
  EXPECT_THAT(joined(words_for("ring?ranks=4", cuda)), HasSubstr("run --backend cuda --ranks 4"));
}

TEST(RunHere, KnowsWhatTheListingSays) {
  const auto all = read_executors(R"({"listed": "backends", "results": [
      {"name": "host", "built": true, "usable": true},
      {"name": "cuda", "built": true, "usable": false, "lacks": "no driver"},
      {"name": "nccl", "built": false, "usable": false, "lacks": "not built"}]})");
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 3u);
  EXPECT_TRUE((*all)[0].is_built && (*all)[0].lacks.empty());
  EXPECT_TRUE((*all)[1].is_built);
  EXPECT_EQ((*all)[1].lacks, "no driver");
  EXPECT_FALSE((*all)[2].is_built);
  for (const char* other : {"", "{", "[]", R"({"listed": "systems", "results": []})",
                            R"({"listed": "backends", "results": 1})"})
    EXPECT_FALSE(read_executors(other)) << other;
}

TEST(RunHere, WhatIsBrokenOrUnknownIsNotRun) {
  auto run = *stage_run(scenario::parse_share_string("ring?ranks=4&mistake=doubled_add")->scenario);
  EXPECT_THAT(arguments_to_run_here(*run, "host", "x").error().message,
              HasSubstr("broken on purpose"));
  StagedRun unknown(*run);
  unknown.mistake.clear();
  unknown.plan.algorithm = nullptr;
  EXPECT_THAT(arguments_to_run_here(unknown, "host", "x").error().message, HasSubstr("ring"));
}

TEST(RunHere, WhatComesBackPlays) {
  Model model;
  Director director;
  const stage::Run simulated = *stage_run(model.scenario);
  director.show(Director::Part::lead, simulated);
  receive(model, director);
  EXPECT_FALSE(model.playback.is_playing);
  auto measured = std::make_shared<StagedRun>(*simulated);
  measured->is_measured = true;
  model.runs_here = true;
  director.show(Director::Part::lead, measured);
  receive(model, director);
  EXPECT_FALSE(model.runs_here);
  EXPECT_TRUE(model.playback.is_playing);
  EXPECT_EQ(model.playback.now, TimePoint{});
}

}  // namespace
}  // namespace ringside::stage
