// What a lecture hall reads off the screen: numbers, marks, names.

#include "viz/terminal/state_view.hpp"

#include <gmock/gmock.h>

#include <regex>

#include "core/engine.hpp"
#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Schedule schedule_of(CollectiveKind kind, std::string_view algorithm, std::uint32_t ranks,
                     std::uint32_t chunks = 0) {
  const auto found = find_algorithm(kind, algorithm);
  EXPECT_TRUE(found);
  return *build_schedule(*make_plan(**found, {.kind = kind, .ranks = ranks}, {.chunks = chunks}));
}

Schedule ring(std::uint32_t ranks) {
  return schedule_of(CollectiveKind::all_reduce, "ring", ranks);
}

std::size_t count(const std::string& text, char c) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
}

std::string without_colours(const std::string& text) {
  return std::regex_replace(text, std::regex("\033\\[[0-9;]*m"), "");
}

TEST(DescribeStep, CountsFromNoughtForPeopleFromOne) {
  EXPECT_EQ(describe_step({0}, 7), "s = 0 (1st of 7)");
  EXPECT_EQ(describe_step({1}, 7), "s = 1 (2nd of 7)");
  EXPECT_EQ(describe_step({2}, 7), "s = 2 (3rd of 7)");
  EXPECT_EQ(describe_step({3}, 7), "s = 3 (4th of 7)");
  EXPECT_THAT(describe_step({10}, 200), HasSubstr("11th"));
  EXPECT_THAT(describe_step({11}, 200), HasSubstr("12th"));
  EXPECT_THAT(describe_step({12}, 200), HasSubstr("13th"));
  EXPECT_THAT(describe_step({20}, 200), HasSubstr("21st"));
  EXPECT_THAT(describe_step({111}, 200), HasSubstr("112th"));
  EXPECT_THAT(describe_step({121}, 200), HasSubstr("122nd"));
}

TEST(DrawState, StartsWithOneMarkEach) {
  const auto schedule = ring(3);
  const Replay replay(schedule);
  EXPECT_EQ(draw_state(schedule, replay, {0}, {0}, {}),
            "                  c0            c1            c2\n"
            "  rank 0           2 #..        20 #..       200 #..\n"
            "  rank 1           3 .#.        30 .#.       300 .#.\n"
            "  rank 2           4 ..#        40 ..#       400 ..#\n");
}

TEST(DrawState, EndsWithAllMarks) {
  for (std::uint32_t n = 2; n <= 8; ++n) {
    const auto schedule = ring(n);
    Replay replay(schedule);
    replay.seek(replay.length());
    const auto text = draw_state(schedule, replay, {0}, {0}, {});
    EXPECT_EQ(count(text, '#'), n * n * n) << text;
    EXPECT_EQ(count(text, '.'), 0u) << text;
    EXPECT_EQ(lines(text).size(), n + 1);
  }
}

TEST(DrawState, MarksWhatTheStepWrote) {
  const auto schedule = ring(5);
  Replay replay(schedule);
  for (Step s{0}; s.value < schedule.steps(); ++s.value) {
    const auto first = schedule.step_begin(s), last = schedule.step_end(s);
    replay.seek(last.value);
    EXPECT_EQ(count(draw_state(schedule, replay, first, last, {}), '<'), 5u) << s.value;
    EXPECT_EQ(count(draw_state(schedule, replay, first, first, {}), '<'), 0u) << s.value;
  }
}

TEST(DrawState, KeepsItsColumnsInEveryStep) {
  const auto schedule = ring(6);
  Replay replay(schedule);
  const auto head = lines(draw_state(schedule, replay, {0}, {0}, {})).front();
  std::vector<std::size_t> columns;  // where the values end, one behind the other
  for (std::uint32_t c = 0; c < 6; ++c) columns.push_back(head.find("c" + std::to_string(c)) + 1);
  for (std::uint32_t p = 0; p <= replay.length(); ++p) {
    replay.seek(p);
    const auto drawn = lines(draw_state(schedule, replay, {0}, {p}, {}));
    EXPECT_EQ(drawn.front(), head);
    for (std::size_t r = 1; r < drawn.size(); ++r)
      for (const auto column : columns) {
        ASSERT_GT(drawn[r].size(), column + 1);
        ASSERT_NE(drawn[r][column], ' ') << drawn[r];
        ASSERT_EQ(drawn[r][column + 1], ' ') << drawn[r];
      }
  }
}

TEST(DrawState, ListsOnlyWhatIsNewInWideSchedules) {
  const auto schedule = ring(16);
  Replay replay(schedule);
  const auto last = schedule.step_end({0});
  replay.seek(last.value);
  const auto text = draw_state(schedule, replay, {0}, last, {});
  EXPECT_EQ(lines(text).size(), 16u);
  for (const auto& line : lines(text)) EXPECT_EQ(count(line, '#'), 2u) << line;
  EXPECT_THAT(draw_state(schedule, replay, {0}, {0}, {}),
              HasSubstr("16 ranks with 16 chunks are too many to draw"));
}

TEST(DrawState, CountsContributorsWhereMarksWouldNotFit) {
  const auto schedule = schedule_of(CollectiveKind::all_reduce, "star", 20);
  Replay replay(schedule);
  replay.seek(replay.length());
  const auto text = draw_state(schedule, replay, {0}, {0}, {});
  EXPECT_THAT(text, HasSubstr("20/20"));
  EXPECT_THAT(text, Not(HasSubstr("#")));
}

TEST(DrawState, ShowsAgentsAndScratch) {
  const auto schedule = schedule_of(CollectiveKind::all_reduce, "nvls", 2, 2);
  ASSERT_GT(schedule.agents(), 0u);
  ASSERT_GT(schedule.scratch_chunks(), 0u);
  Replay replay(schedule);
  replay.seek(replay.length());
  const auto text = draw_state(schedule, replay, {0}, {0}, {});
  EXPECT_THAT(text, HasSubstr("switch 0"));
  EXPECT_THAT(text, HasSubstr("x0"));
  EXPECT_EQ(lines(text).size(), 1 + schedule.participants());
}

TEST(DrawState, NeverWrittenIsADash) {
  const auto schedule = schedule_of(CollectiveKind::broadcast, "binomial", 4);
  const Replay replay(schedule);
  const auto text = lines(draw_state(schedule, replay, {0}, {0}, {}));
  EXPECT_THAT(text[1], HasSubstr("#"));
  for (std::size_t r = 2; r < text.size(); ++r) EXPECT_THAT(text[r], HasSubstr(" -"));
}

TEST(DrawState, ColourOnlyAddsColour) {
  const auto schedule = ring(4);
  Replay replay(schedule);
  replay.seek(2);
  const auto plain = draw_state(schedule, replay, {1}, {2}, {});
  const auto coloured = draw_state(schedule, replay, {1}, {2}, {.colour = true});
  EXPECT_THAT(plain, Not(HasSubstr("\033")));
  EXPECT_THAT(coloured, HasSubstr("\033[1;33m"));
  const auto bare = lines(without_colours(coloured)), wanted = lines(plain);
  ASSERT_EQ(bare.size(), wanted.size());
  for (std::size_t i = 0; i < bare.size(); ++i) EXPECT_EQ(bare[i].rfind(wanted[i], 0), 0u);
}

TEST(Describe, AddsUp) {
  const std::regex sum("adds it: (\\d+) \\+ (\\d+) = (\\d+)$");
  std::uint32_t sums = 0;
  for (const Algorithm& algorithm : all_algorithms()) {
    const auto plan = make_plan(algorithm, {.kind = algorithm.collective, .ranks = 4}, {});
    if (!plan) continue;
    const auto schedule = *build_schedule(*plan);
    Replay replay(schedule);
    for (Step s{0}; s.value < schedule.steps(); ++s.value) {
      replay.seek(schedule.step_begin(s).value);
      for (auto id = schedule.step_begin(s); id < schedule.step_end(s); ++id.value) {
        const auto text = describe(schedule, id, replay);
        const bool is_copy = schedule[id].action() == Action::copy;
        EXPECT_EQ(text.find("adding it") + text.find("adds it") == 2 * std::string::npos, is_copy)
            << text;
        EXPECT_THAT(text, HasSubstr(schedule[id].is_local() ? "keeps" : "sends"));
        std::smatch found;
        if (!std::regex_search(text, found, sum)) continue;
        EXPECT_EQ(std::stol(found[1]) + std::stol(found[2]), std::stol(found[3])) << text;
        ++sums;
      }
    }
  }
  EXPECT_GT(sums, 50u);
}

/// Four ranks of anything fit a few screens: nobody scrolls through a thousand pipelined lines.
TEST(Step, IsShortEnoughToReadForEveryAlgorithm) {
  for (const Algorithm& algorithm : all_algorithms()) {
    const auto ran = run("step --system star --ranks 4 --all --collective " +
                         std::string(name(algorithm.collective)) + " --algorithm " +
                         std::string(algorithm.name));
    EXPECT_EQ(ran.status, 0) << algorithm.name << ran.err;
    EXPECT_LT(lines(ran.out).size(), 200u) << algorithm.name;
  }
}

TEST(Describe, ReadsAsASentence) {
  const auto schedule = ring(4);
  Replay replay(schedule);
  EXPECT_EQ(describe(schedule, {0}, replay),
            "rank 0 sends c3 to rank 1, which adds it: 3000 + 2000 = 5000");
  const auto copies = schedule.step_begin({3});
  replay.seek(copies.value);
  EXPECT_EQ(describe(schedule, copies, replay), "rank 0 sends c0 to rank 1, which keeps it");
}

}  // namespace
}  // namespace ringside::terminal
