// The study's arithmetic, and that the figures compiled in are as good as its page says.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/tuner/nccl_cost_model.hpp"
#include "tests/fidelity/study.hpp"

namespace ringside::fidelity {
namespace {

using ::testing::HasSubstr;

/// One published measurement, all_reduce out of place: what it ran on, bytes, us.
struct Typed {
  const char* hardware;
  std::uint32_t nodes, per_node;
  const char* interconnect;
  const char* notes;
  std::uint64_t bytes;
  double microseconds;
};
// From published nccl-tests runs: NVIDIA/nccl-tests#309, superbenchmark's results, README files.
constexpr Typed typed[] = {
    {"H100", 1, 8, "NVSwitch", "", 1 << 10, 16.9},
    {"H100", 1, 8, "NVSwitch", "", 1 << 20, 27.4},
    {"H100", 1, 8, "NVSwitch", "", 1 << 30, 4029.4},
    {"H100", 2, 8, "NVSwitch + 8x NDR 400 Gb/s InfiniBand", "", 1 << 14, 32.7},
    {"H100", 2, 8, "NVSwitch + 8x NDR 400 Gb/s InfiniBand", "", 1 << 26, 466.1},
    {"A100-SXM4", 1, 8, "NVSwitch", "single process", 1 << 10, 36.1},
    {"A100-SXM4", 1, 8, "NVSwitch", "single process", 1 << 30, 8159.5},
    {"MI300X", 1, 8, "xGMI mesh", "", 1 << 30, 5977.0},
};

Log log_of(const Typed& one) {
  Log log{.file = "00_typed",
          .family = "00",
          .platform = {},
          .ranks = one.nodes * one.per_node,
          .samples = {}};
  const auto platform = sim::platform_of(sim::Description{.hardware = one.hardware,
                                                          .nodes = one.nodes,
                                                          .per_node = one.per_node,
                                                          .interconnect = one.interconnect,
                                                          .version = "",
                                                          .notes = one.notes});
  EXPECT_TRUE(platform) << platform.error().message;
  log.platform = *platform;
  log.samples.push_back({{CollectiveKind::all_reduce, {one.bytes}}, one.microseconds, 1});
  return log;
}

TEST(Fidelity, FiguresOfOurOwnAreNear) {
  for (const Typed& one : typed) {
    const Log log = log_of(one);
    const double time = predict(sim::built_in_figures(), log, log.samples[0]);
    EXPECT_NEAR(time / one.microseconds, 1, 0.2) << one.hardware << " " << one.bytes;
  }
}

TEST(Fidelity, PercentilesAreByNearestRank) {
  EXPECT_EQ(percentile({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.9), 9);
  EXPECT_EQ(percentile({}, 0.9), 0);
}

/// Logs that a tuner with other figures has written, which the fit should find.
TEST(Fidelity, AFitFindsTheFiguresThatMadeTheData) {
  sim::Figures truth = sim::built_in_figures();
  sim::visit_all(truth, [](const std::string& where, sim::FigureUnit, sim::Figure& figure) {
    figure.value = figure.published;
    if (where == "hopper.switch_share") figure.value *= 0.8;
  });
  Log log = log_of(typed[0]);
  log.samples.clear();
  for (std::uint64_t bytes = 1 << 20; bytes <= 1ull << 33; bytes *= 2) {
    Sample sample{{CollectiveKind::all_reduce, {bytes}}, 0, static_cast<double>(bytes)};
    sample.microseconds = predict(truth, log, sample);
    log.samples.push_back(sample);
  }
  const Log* const logs[] = {&log};
  sim::Figures found = sim::built_in_figures();
  fit(found, logs);
  for (const Sample& sample : log.samples)
    EXPECT_NEAR(predict(found, log, sample) / sample.microseconds, 1, 0.03);
  // What no row hangs on stays as published.
  EXPECT_EQ(found.network("efa")->hop[0].value, found.network("efa")->hop[0].published);
  EXPECT_EQ(found.generation("volta")->launch.value, 1);
}

TEST(Fidelity, FittedFiguresGoBackWhereTheyStand) {
  sim::Figures figures = sim::built_in_figures();
  sim::visit_all(figures, [](const std::string& where, sim::FigureUnit, sim::Figure& figure) {
    if (where == "nvlink.hop_LL") figure.value = 0.75;
    if (where == "common.launch") figure.value = 9;
  });
  EXPECT_EQ(
      with_fitted("# x\n[nvlink]  # y\nhop_LL = [\"0.6us\", \"0.6us\"]  # z\n", "wires", figures),
      "# x\n[nvlink]  # y\nhop_LL = [\"0.6us\", \"0.75us\"]  # z\n");
  EXPECT_EQ(with_fitted("launch = [\"6.6us\", \"1us\"]\n", "common", figures),
            "launch = [\"6.6us\", \"9us\"]\n");
  EXPECT_EQ(with_fitted("launch = \"6.6us\"\n", "common", figures), "launch = \"6.6us\"\n");
}

/// With the published logs beside the checkout: what the page says holds, and it beats both others.
TEST(Fidelity, ThePageSaysWhatTheFiguresDo) {
  const std::filesystem::path source = RINGSIDE_SOURCE_DIR;
  const auto folder = source / "../shared/data/nccl_logs";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published logs at " << folder;
  const auto logs = read_logs(folder.string());
  ASSERT_TRUE(logs) << logs.error().message;
  Score ours, nccl, ring;
  for (const Log& log : *logs) {
    const auto by = [](auto yardstick) {
      return [yardstick](const Log& of, const Sample& sample) {
        return yardstick(of.platform, sample.query)->microseconds();
      };
    };
    ours.add(judge(log, [](const Log& of, const Sample& sample) {
               return predict(sim::built_in_figures(), of, sample);
             }).score);
    nccl.add(judge(log, by(sim::nccl_cost_model)).score);
    ring.add(judge(log, by(sim::alpha_beta_ring)).score);
  }
  EXPECT_LE(median(ours.small), 0.2);
  EXPECT_LE(median(ours.large), 0.1);
  for (const Score& other : {nccl, ring}) {
    EXPECT_LT(median(ours.small), median(other.small));
    EXPECT_LT(median(ours.large), median(other.large));
    EXPECT_LT(percentile(ours.small, 0.9), percentile(other.small, 0.9));
    EXPECT_LT(percentile(ours.large, 0.9), percentile(other.large, 0.9));
  }
  std::ostringstream page;
  page << std::ifstream(source / "docs/fidelity.md").rdbuf();
  char row[64];
  std::snprintf(row, sizeof row, "| **fitted** | %.1f %% | %.1f %% | %.1f %% |",
                100 * median(ours.small), 100 * percentile(ours.small, 0.9),
                100 * median(ours.large));
  EXPECT_THAT(page.str(), HasSubstr(row));
}

}  // namespace
}  // namespace ringside::fidelity
