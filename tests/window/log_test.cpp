// A log in the window: its dots are drawn, and a click on one replays that size.

#include <gmock/gmock.h>

#include <set>

#include "tests/window/script.hpp"

namespace ringside::window {
namespace {

const std::string log_of_two_nodes = RINGSIDE_SOURCE_DIR "/tests/golden/two_nodes.log";

TEST_F(Scripted, AClickOnADotReplaysThatSize) {
  // Down one column of the chart: somewhere there a curve or a dot is within reach.
  std::string lines;
  constexpr int places_tried = 7;
  for (int i = 0; i < places_tried; ++i)
    lines += "key End\n" + mouse("click", places().side, 0.42f, 0.25f + 0.09f * float(i)) +
             "\nwait\ndump " + std::to_string(i) + "\n";
  play("dump before\n" + lines, "--log " + log_of_two_nodes);
  const auto before = state("before");
  std::set<std::uint64_t> sizes;
  for (int i = 0; i < places_tried; ++i) {
    const auto after = state(std::to_string(i));
    if (!after["playing"].get<bool>()) continue;  // nothing was there
    sizes.insert(after["run"]["row"]["bytes"].get<std::uint64_t>());
    EXPECT_LT(after["now_ps"].get<double>(), 0.2 * after["run"]["time_ps"].get<double>());
  }
  EXPECT_FALSE(sizes.empty()) << "no click reached a point";
  sizes.erase(before["run"]["row"]["bytes"].get<std::uint64_t>());
  EXPECT_FALSE(sizes.empty()) << "another size plays";
}

TEST_F(Scripted, TheStateSaysWhatALogsDotsAre) {
  play("dump log\n", "--log " + log_of_two_nodes);
  const auto log = state("log")["log"];
  EXPECT_EQ(log["machine"], "dgx-h100");
  ASSERT_EQ(log["points"].size(), 9u);
  EXPECT_EQ(log["points"][0]["badge"], "stands_out");
  EXPECT_GT(log["fit"]["bytes_per_second"].get<double>(), 1e11);
  play("dump none\n");
  EXPECT_TRUE(state("none")["log"].is_null());
}

TEST_F(Scripted, ARecordingIsLabelledWithItsMachineAndDate) {
  play("dump log\n", "--log recorded:host-4-threads");
  EXPECT_THAT(state("log")["log"]["origin"].get<std::string>(),
              testing::MatchesRegex("AMD EPYC.*, 20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]"));
}

}  // namespace
}  // namespace ringside::window
