// A log beside the curves: its points, what NCCL should have shown, and a scenario like it.

#include "viz/stage/measured.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/file.hpp"
#include "viz/stage/opening.hpp"

namespace ringside::stage {
namespace {

using ::testing::HasSubstr;

const std::string log_of_two_nodes = RINGSIDE_SOURCE_DIR "/tests/golden/two_nodes.log";

TEST(Measured, ALogHasPointsAndAPrediction) {
  const auto measured = read_log(log_of_two_nodes);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->collective, CollectiveKind::all_reduce);
  EXPECT_EQ(measured->ranks, 16u);
  ASSERT_EQ(measured->out_of_place.points.size(), 9u);
  EXPECT_EQ(measured->in_place.points.size(), 9u);
  EXPECT_EQ(measured->out_of_place.points[0].x, 8);
  EXPECT_EQ(measured->out_of_place.points[0].time, Duration{68'500'000});
  ASSERT_EQ(measured->predicted.points.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(measured->predicted.points[i].x, measured->out_of_place.points[i].x);
    EXPECT_GT(measured->predicted.points[i].time, Duration{0});
    EXPECT_TRUE(measured->predicted.points[i].busbw);
  }
  EXPECT_EQ(measured->machine, "dgx-h100");
  EXPECT_THAT(measured->sentence, HasSubstr("taken for 2 nodes of 8 GPUs"));
}

TEST(Measured, TheViewOpensOnAScenarioLikeTheLog) {
  scenario::ViewOptions options;
  options.log = log_of_two_nodes;
  const auto opening = read(options, {}, true);
  ASSERT_TRUE(opening) << opening.error().message;
  EXPECT_TRUE(opening->model.measured);
  EXPECT_EQ(opening->model.scenario.system.system, "dgx-h100");
  EXPECT_EQ(opening->model.scenario.system.nodes, 2u);
  EXPECT_EQ(opening->model.scenario.system.ranks, 16u);
  options.given = {{"system", "dgx-a100"}, {"ranks", "4"}};
  options.scenario.system.system = "dgx-a100";
  options.scenario.system.ranks = 4;
  const auto told = read(options, {}, true);
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->model.scenario.system.system, "dgx-a100");
  EXPECT_EQ(told->model.scenario.system.ranks, 4u);
}

scenario::ViewOptions with_flags(const std::string& system) {
  scenario::ViewOptions options;
  options.log = log_of_two_nodes;
  options.scenario.system.system = system;
  options.given = {{"system", system}};
  return options;
}

TEST(Measured, TheMachineThatIsSaidIsWhatIsPredicted) {
  const auto by_words = read_log(log_of_two_nodes);
  const auto said = read(with_flags("dgx-a100"), {}, true);
  ASSERT_TRUE(by_words && said) << said.error().message;
  const Measured& measured = *said->model.measured;
  EXPECT_THAT(measured.sentence, HasSubstr("as --system dgx-a100 says"));
  EXPECT_EQ(said->model.scenario.system.nodes, 2u) << "as many as the log's ranks fill";
  EXPECT_EQ(said->model.scenario.system.ranks, 16u);
  const auto last = [](const Measured& m) { return m.predicted.points.back().time; };
  EXPECT_GT(last(measured), last(*by_words)) << "an A100's links are slower than an H100's";
  // One flag alone changes the machine that the log names.
  auto options = with_flags("ring");
  options.scenario.system.net = "edr";
  options.given = {{"net", "edr"}};
  const auto slower = read(options, {}, true);
  ASSERT_TRUE(slower) << slower.error().message;
  EXPECT_EQ(slower->model.scenario.system.system, "dgx-h100");
  EXPECT_GT(last(*slower->model.measured), last(*by_words));
}

TEST(Measured, AMachineThatCannotBeIsRefused) {
  const auto none = read(with_flags("no-such-machine"), {}, true);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no-such-machine"));
  const auto bare = read(with_flags("star"), {}, true);
  ASSERT_TRUE(bare) << "its curves can be compared: " << bare.error().message;
  EXPECT_TRUE(bare->model.measured->predicted.points.empty());
  EXPECT_EQ(bare->model.scenario.system.ranks, 16u);
  auto piped = with_flags("dgx-a100");
  piped.log = "-";
  EXPECT_FALSE(read(piped, {}, true));
}

TEST(Measured, AlgorithmsAreOfTheLogsCollective) {
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("ringside_measured_" + std::to_string(getpid()));
  ASSERT_TRUE(write_file(file.string(),
                         "# ./alltoall_perf -g 4\n# nRanks 4\n"
                         "1048576 65536 float none -1 40.00 26.21 19.66 0 N/A N/A N/A N/A\n"));
  const auto measured = read_log(file.string());
  std::filesystem::remove(file);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_TRUE(measured->predicted.points.empty()) << "no line names a GPU";
  EXPECT_THAT(measured->sentence, HasSubstr("--system"));
  scenario::Scenario scenario;
  adapt(scenario, *measured, {});
  EXPECT_EQ(scenario.collective.collective, "all_to_all");
  EXPECT_TRUE(find_algorithm(CollectiveKind::all_to_all, scenario.collective.algorithm));
  EXPECT_EQ(scenario.system.ranks, 4u);
}

TEST(Measured, WhatIsNoLogIsRefused) {
  EXPECT_FALSE(read_log(RINGSIDE_SOURCE_DIR "/README.md"));
  EXPECT_FALSE(read_log("/there/is/none"));
}

}  // namespace
}  // namespace ringside::stage
