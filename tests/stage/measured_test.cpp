// A log beside the curves: its points, what NCCL should have shown, and a scenario like it.

#include "viz/stage/measured.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/file.hpp"
#include "viz/scenario/recordings.hpp"
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

/// A table of nccl-tests: a ring of eight whose steps take `latency_us`, with ports of `GBps`; each
/// time a little off, as real ones are.
std::string ring_log(double latency_us, double GBps) {
  std::string text =
      "# nThread 1 nGpus 8\n# Rank 0 Pid 1 on node0 device 0 [0x1b] NVIDIA H100 80GB HBM3\n";
  for (int r = 1; r < 8; ++r)
    text += "# Rank " + std::to_string(r) + " Pid 1 on node0 device " + std::to_string(r) +
            " [0x2b] NVIDIA H100 80GB HBM3\n";
  std::uint32_t noise = 1;
  for (std::uint64_t bytes = 1024; bytes <= 1u << 30; bytes *= 4) {
    const double exact = 14 * latency_us + 1.75 * static_cast<double>(bytes) / (GBps * 1e3);
    noise = noise * 1664525 + 1013904223;
    const double us = exact * (1 + 0.01 * (noise / 4294967296.0 - 0.5));
    text += fmt::format("{} {} float sum -1 {:.2f} {:.2f} {:.2f} 0\n", bytes, bytes / 4, us,
                        static_cast<double>(bytes) / us / 1e3,
                        1.75 * static_cast<double>(bytes) / us / 1e3);
  }
  return text;
}

Result<Measured> read_text(const std::string& text) {
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("ringside_line_" + std::to_string(getpid()));
  RS_TRY(write_file(file.string(), text));
  auto measured = read_log(file.string());
  std::filesystem::remove(file);
  return measured;
}

TEST(Measured, LatencyAndBandwidthAreFoundAgain) {
  for (const auto& [latency_us, GBps] : {std::pair{2.0, 300.0}, {11.0, 40.0}, {0.7, 12.5}}) {
    const auto measured = read_text(ring_log(latency_us, GBps));
    ASSERT_TRUE(measured) << measured.error().message;
    ASSERT_TRUE(measured->fit);
    EXPECT_NEAR(measured->fit->latency.microseconds(), latency_us, 0.02 * latency_us);
    EXPECT_NEAR(measured->fit->bandwidth.gigabytes_per_second(), GBps, 0.02 * GBps);
    const double half = 14 * latency_us * GBps * 1e3 / 1.75;
    EXPECT_NEAR(measured->limits.half_size, half, 0.04 * half);
    ASSERT_EQ(measured->fitted.points.size(), measured->out_of_place.points.size());
  }
}

TEST(Measured, DotsSayWhatIsBehindThem) {
  using scenario::Badge;
  const auto badges = [](const Measured& measured) {
    std::vector<Badge> all;
    for (const auto& residual : measured.residuals) all.push_back(residual.badge);
    return all;
  };
  // Half of what NVLink carries, whatever the prediction is: large sizes are below it.
  const auto slow = read_text(ring_log(2, 180));
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->machine, "dgx-h100");
  ASSERT_EQ(slow->residuals.size(), slow->out_of_place.points.size());
  EXPECT_EQ(slow->residuals.back().badge, Badge::slower);
  EXPECT_NEAR(slow->residuals.back().off,
              slow->out_of_place.points.back().time.seconds() /
                      slow->predicted.points.back().time.seconds() -
                  1,
              1e-9);
  // More than it carries: the switch adds.
  const auto fast = read_text(ring_log(2, 470));
  ASSERT_TRUE(fast);
  EXPECT_EQ(fast->residuals.back().badge, Badge::above_wire);
  EXPECT_TRUE(fast->limits.in_switch);
  EXPECT_THAT(in_words(fast->residuals.back(), fast->limits), HasSubstr("in-switch reduction"));
  // Without a machine, against the line: latency decides up to half_size, nothing is said above.
  auto text = ring_log(5, 20);
  for (std::size_t at; (at = text.find("NVIDIA H100 80GB HBM3")) != text.npos;)
    text.replace(at, 21, "Unheard Of");
  const auto unknown = read_text(text);
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(unknown->predicted.points.empty());
  const auto all = badges(*unknown);
  ASSERT_EQ(all.size(), unknown->out_of_place.points.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i], unknown->out_of_place.points[i].x < unknown->limits.half_size
                          ? Badge::latency_bound
                          : Badge::as_predicted);
  EXPECT_EQ(all.front(), Badge::latency_bound);
  EXPECT_EQ(all.back(), Badge::as_predicted);
  // What is simulated beside it has such links.
  scenario::Scenario scenario;
  adapt(scenario, *unknown, {});
  EXPECT_NEAR(parse_bandwidth(scenario.system.bandwidth)->gigabytes_per_second(), 20, 0.4);
  EXPECT_NEAR(parse_duration(scenario.system.latency)->microseconds(), 5, 0.1);
}

TEST(Measured, ARecordingIsShippedWithItsMachineAndDate) {
  ASSERT_FALSE(scenario::recordings().empty());
  for (const auto& recording : scenario::recordings()) {
    const auto measured = read_log("recorded:" + std::string(recording.name));
    ASSERT_TRUE(measured) << measured.error().message;
    EXPECT_TRUE(measured->fit) << recording.name;
    EXPECT_THAT(measured->origin, testing::MatchesRegex(".+, 20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]"));
    EXPECT_EQ(measured->residuals.size(), measured->out_of_place.points.size());
  }
  const auto none = read_log("recorded:no-such");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("host-4-threads"));
}

TEST(Measured, WhatIsNoLogIsRefused) {
  EXPECT_FALSE(read_log(RINGSIDE_SOURCE_DIR "/README.md"));
  EXPECT_FALSE(read_log("/there/is/none"));
}

}  // namespace
}  // namespace ringside::stage
