// docs/scaling.md holds predictions beside publications: each number in it is made here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/file.hpp"
#include "tests/sim/workload/published.hpp"

namespace ringside::sim::published {
namespace {

constexpr std::uint64_t quick_gpus = 256;  // simulated in milliseconds, the others in seconds

std::string page_path() {
  return std::string(RINGSIDE_SOURCE_DIR) + "/docs/scaling.md";
}

struct Judged {
  double predicted = 0, error = 0;
};
Judged judge(const Family& family, const Run& run) {
  const auto predicted = predict(family, run);
  EXPECT_TRUE(predicted) << run.what << ": " << predicted.error().message;
  if (!predicted) return {};
  return {*predicted, *predicted / run.measured - 1};
}

std::string row(const Run& run, const Judged& judged) {
  char text[160];
  const auto* const format = run.measured < 1000 ? "| %s | %u | %.1f | %.1f | %+.1f %% |"
                                                 : "| %s | %u | %.0f | %.0f | %+.1f %% |";
  std::snprintf(text, sizeof text, format, run.what.c_str(),
                static_cast<unsigned>(run.parallelism.gpus()), run.measured, judged.predicted,
                100 * judged.error);
  return text;
}

bool is_near(const Judged& judged) {
  return std::abs(judged.error) <= 0.2;
}

/// Everything between the page's two markers.
std::string figures() {
  std::string text;
  std::size_t near = 0, all = 0, families = 0, near_families = 0;
  for (const auto& family : published::all()) {
    text += "\n### " + family.title + "\n\n" + family.source + ". Computing: " + family.achieved +
            ".\n\n| run | GPUs | published, " + family.unit +
            " | predicted | error |\n|---|---|---|---|---|\n";
    std::size_t of_family = 0;
    for (const auto& run : family.runs) {
      const auto judged = judge(family, run);
      of_family += is_near(judged) ? 1 : 0;
      text += row(run, judged) + "\n";
    }
    text += "\n" + family.explanation + "\n";
    near += of_family;
    all += family.runs.size();
    ++families;
    near_families += 2 * of_family > family.runs.size() ? 1 : 0;
  }
  return "\n" + std::to_string(near) + " of " + std::to_string(all) +
         " published figures are predicted within 20 %; in " + std::to_string(near_families) +
         " of " + std::to_string(families) + " sources most are.\n" + text + "\n";
}

constexpr std::string_view begin_mark = "<!-- made by tests/sim/workload/published_test.cpp -->\n";
constexpr std::string_view end_mark = "<!-- end -->\n";

TEST(PublishedFull, ThePageSaysWhatTheSimulatorSays) {
  const auto page = read_file(page_path());
  ASSERT_TRUE(page) << page.error().message;
  const auto begin = page->find(begin_mark), end = page->find(end_mark);
  ASSERT_TRUE(begin < end && end != std::string::npos) << "docs/scaling.md lost its markers";
  const auto now = page->substr(0, begin) + std::string(begin_mark) + figures() + page->substr(end);
  if (std::getenv("RINGSIDE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(page_path(), now));
  }
  EXPECT_EQ(now, *read_file(page_path()))
      << "if this is better: RINGSIDE_UPDATE_GOLDEN=1 renews it, git diff shows what changed";
}

TEST(Published, FiguresOfSmallRunsAreOnThePageAndNear) {
  const auto page = read_file(page_path());
  ASSERT_TRUE(page) << page.error().message;
  std::size_t near = 0, all = 0;
  for (const auto& family : published::all())
    for (const auto& run : family.runs) {
      if (run.parallelism.gpus() > quick_gpus) continue;
      const auto judged = judge(family, run);
      EXPECT_THAT(*page, testing::HasSubstr(row(run, judged) + "\n"));
      near += is_near(judged) ? 1 : 0;
      ++all;
    }
  EXPECT_GE(all, 20U);
  EXPECT_GE(5 * near, 4 * all) << near << " of " << all << " within 20 %";
}

TEST(Published, ModelsHaveThePublishedParameters) {
  const auto families = published::all();
  const auto parameters = [&](std::size_t family, std::size_t run) {
    return families[family].runs[run].model.parameters();
  };
  // llm-foundry's NumParams column.
  EXPECT_EQ(parameters(2, 0), 1'315'950'592U);
  EXPECT_EQ(parameters(2, 1), 2'651'837'440U);
  EXPECT_EQ(parameters(2, 2), 6'658'859'008U);
  EXPECT_EQ(parameters(2, 3), 12'853'954'560U);
  EXPECT_EQ(parameters(2, 4), 29'975'214'080U);
  EXPECT_EQ(parameters(2, 5), 64'862'437'376U);
  // Narayanan et al.'s models are named by theirs.
  for (const auto& run : families[0].runs)
    EXPECT_NEAR(static_cast<double>(run.model.parameters()) / 1e9, std::stod(run.model.name), 0.1);
  EXPECT_EQ(parameters(4, 0), 109'482'240U);  // the released BERT-base
}

}  // namespace
}  // namespace ringside::sim::published
