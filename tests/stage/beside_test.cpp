// A measured run and its simulation, on one clock.

#include <gmock/gmock.h>

#include "viz/stage/action.hpp"
#include "viz/stage/opening.hpp"

namespace ringside::stage {
namespace {

using testing::HasSubstr;

/// As a trace file of a run on 4 ranks comes to the stage, half as long again as simulated.
stage::Run measured(const std::string& share = "ring?ranks=4&bytes=1M&chunks=8") {
  auto run =
      std::make_shared<StagedRun>(**stage_run(scenario::parse_share_string(share)->scenario));
  for (Span& span : run->spans)
    for (TimePoint* at : {&span.ready, &span.begin, &span.read, &span.arrival, &span.commit})
      at->picoseconds += at->picoseconds / 2;
  run->is_measured = true;
  run->links.clear();
  run->trace = "run.json";
  run->timeline = std::make_shared<const Timeline>(*run->schedule, *run->story, run->spans);
  return run;
}

TEST(Beside, TheRaceOfAMeasuredRunIsAgainstItsOwnSimulation) {
  Model model;
  Director director;
  const stage::Run recorded = measured();
  model.scenario = recorded->scenario;
  director.show(Director::Part::lead, recorded);
  receive(model, director);
  apply(model, Command::race, director);
  director.wait();
  receive(model, director);
  ASSERT_TRUE(model.rival);
  EXPECT_FALSE(model.rival->is_measured);
  EXPECT_EQ(model.rival->row.algorithm, "ring");
  EXPECT_EQ(model.rival->schedule->chunks(), recorded->schedule->chunks());
  EXPECT_NEAR(recorded->time().seconds() / model.rival->time().seconds(), 1.5, 1e-6);
  EXPECT_EQ(model.window.to, recorded->time()) << "both fit on the one clock";
}

TEST(Beside, AStepOfARecordedRunLastsOneToTwoSecondsByDefault) {
  for (const char* share :
       {"ring?ranks=8&bytes=1K", "ring?ranks=8&bytes=1G", "star?ranks=5&bytes=3M"}) {
    Model model;
    Director director;
    const stage::Run recorded = measured(share);
    director.show(Director::Part::lead, recorded);
    receive(model, director);
    const double step = recorded->time().seconds() / recorded->schedule->steps();
    EXPECT_GE(step / model.playback.per_second.seconds(), 1) << share;
    EXPECT_LE(step / model.playback.per_second.seconds(), 2) << share;
  }
}

TEST(Beside, FlagsSayOnWhatItIsSimulated) {
  const stage::Run recorded = measured();
  const auto beside = [&](std::vector<std::pair<std::string, std::string>> given) {
    Opening opening;
    opening.given = std::move(given);
    return simulation_beside(opening, *recorded);
  };
  const auto same = beside({});
  ASSERT_TRUE(same);
  EXPECT_EQ(scenario::to_share_string({*same, {}}),
            scenario::to_share_string({recorded->scenario, {}}));

  const auto on_dgx = beside({{"system", "dgx-a100"}, {"set", "nvlink.bandwidth=x0.5"}});
  ASSERT_TRUE(on_dgx) << on_dgx.error().message;
  const stage::Run run = *stage_run(*on_dgx);
  EXPECT_EQ(run->ranks(), 4u) << "as many as were recorded, of the eight there are";
  EXPECT_EQ(run->row.system, "dgx-a100");
  EXPECT_EQ(run->schedule->chunks(), 8u);
  // Flags come in any order; the machine goes first.
  EXPECT_EQ(beside({{"ranks", "4"}, {"system", "dgx-a100"}})->system.ranks, 4u);
  EXPECT_TRUE(beside({{"bytes", "1MiB"}, {"algorithm", "star"}}));
  EXPECT_THAT(beside({{"system", "dgx-a101"}}).error().message, HasSubstr("dgx-a100"));
}

TEST(Beside, OtherWorkIsNoRival) {
  const stage::Run recorded = measured();
  for (const auto& [field, value, said] :
       {std::tuple{"ranks", "3", "--ranks: the recorded run is of 4 ranks, "},
        {"collective", "broadcast", "--collective: the recorded run is of all_reduce, "},
        {"bytes", "2M", "-b: the recorded run is of 1 MiB, "}}) {
    Opening opening;
    opening.given = {{field, value}};
    const auto refused = simulation_beside(opening, *recorded);
    ASSERT_FALSE(refused) << field;
    EXPECT_THAT(refused.error().message, HasSubstr(said));
  }
}

TEST(Beside, IsRefusedWhereItMeansNothing) {
  const auto refusal = [](const scenario::ViewOptions& options) {
    const auto opening = read(options, {}, false);
    return opening ? std::string("none") : opening.error().message;
  };
  scenario::ViewOptions options;
  options.beside = true;
  EXPECT_THAT(refusal(options), HasSubstr("add --trace FILE"));
  options.trace = "run.json";
  EXPECT_EQ(refusal(options), "none");
  options.given = {{"bandwidth", "5GB/s"}};
  EXPECT_EQ(refusal(options), "none");
  options.beside = false;
  EXPECT_THAT(refusal(options), HasSubstr("--bandwidth cannot change what --trace recorded"));
  options.given.clear();
  options.share = "ring";
  EXPECT_THAT(refusal(options), HasSubstr("two runs"));
}

}  // namespace
}  // namespace ringside::stage
