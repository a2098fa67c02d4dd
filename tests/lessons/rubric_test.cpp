#include "lessons/course/rubric.hpp"

#include <gmock/gmock.h>

#include "tests/lessons/textbook.hpp"

namespace ringside::lessons {
namespace {

using testing::HasSubstr;

constexpr const char* two_ranks = R"(collective = "all_reduce"
ranks = 2
bytes = "1000KB"
pass = 6
[par]
steps = 2
busiest = "2MB"
time = "42us"
[points]
right = 4
steps = 2
busiest = 3
time = 1
)";

constexpr const char* ring_of_two = R"(all_reduce 2 ranks 2 chunks
step: 0 -> 1: 0 +; 1 -> 0: 1 +
step: 1 -> 0: 0; 0 -> 1: 1
)";
// All through rank 0, and once more than needed.
constexpr const char* clumsy = R"(all_reduce 2 ranks 1 chunk
step: 1 -> 0: 0 +
step: 0 -> 1: 0
step: 0 -> 1: 0
step: 0 -> 1: 0
)";

Marks marks_of(const char* schedule, const std::string& rubric = two_ranks) {
  const auto read = parse_rubric(rubric, "r.toml");
  EXPECT_TRUE(read) << read.error().message;
  const auto marks = mark(*read, schedule, textbook({1000000}));
  EXPECT_TRUE(marks) << marks.error().message;
  return *marks;
}

TEST(Rubric, ParEarnsAll) {
  const auto marks = marks_of(ring_of_two);
  EXPECT_EQ(marks.of, 10u);
  EXPECT_EQ(to_string(marks.total), "10");
  EXPECT_TRUE(marks.passed);
}

TEST(Rubric, TwiceParEarnsHalf) {
  const auto marks = marks_of(clumsy);  // 4 steps of 2; 4 MB of 2; four times 41 us
  EXPECT_TRUE(marks.grade.correct);
  EXPECT_EQ(to_string(marks.earned_for(Criterion::right)), "4");
  EXPECT_EQ(to_string(marks.earned_for(Criterion::steps)), "1");
  EXPECT_EQ(to_string(marks.earned_for(Criterion::busiest)), "1.5");
  EXPECT_EQ(to_string(marks.earned_for(Criterion::time)), "0.25");
  EXPECT_EQ(to_string(marks.total), "6.75");
  EXPECT_TRUE(marks.passed) << "6 points pass";
}

TEST(Rubric, WhatIsWrongEarnsNothing) {
  const auto marks = marks_of("all_reduce 2 ranks 1 chunk\nstep\n0->1:0+\n");
  EXPECT_EQ(marks.total.hundredths, 0u);
  EXPECT_FALSE(marks.passed);
  const std::string free =
      "collective = \"all_reduce\"\nranks = 2\nbytes = \"1MB\"\n[points]\nright = 1";
  EXPECT_FALSE(marks_of("all_reduce 2 ranks 1 chunk\nstep\n0->1:0+\n", free).passed)
      << "no points needed, but it must be right";
  EXPECT_TRUE(marks_of(clumsy, free).passed);
}

TEST(Rubric, WithoutAParTheProvenBoundIsMeasuredAgainst) {
  std::string rubric = two_ranks;
  rubric.replace(rubric.find("busiest = \"2MB\"\ntime = \"42us\"\n"), 30, "");
  const auto marks = marks_of(ring_of_two, rubric);
  EXPECT_EQ(marks.par.busiest.count, 2000000u);
  EXPECT_EQ(marks.par.time, marks.grade.least_time);
  EXPECT_EQ(to_string(marks.earned_for(Criterion::busiest)), "3");
}

TEST(Rubric, SaysWhatEarnedWhat) {
  const auto rubric = *parse_rubric(two_ranks, "r.toml");
  EXPECT_EQ(to_string(marks_of(clumsy), rubric),
            "  right    yes                                                       4 of 4\n"
            "  steps    4            par 2                                        1 of 2\n"
            "  busiest  4 MB         par 2 MB, proven least 2 MB (rank 0)         1.5 of 3\n"
            "  time     162 us       par 42 us, proven least 41 us                0.25 of 1\n"
            "  6.75 of 10 points: passed\n");
}

TEST(Rubric, ErrorsSayWhereAndHow) {
  const struct {
    const char *from, *to, *says;
  } cases[] = {
      {"collective = \"all_reduce\"\n", "", "r.toml:1: collective is missing: write collective"},
      {"all_reduce", "all_redcue", "r.toml:1: there is no collective \"all_redcue\"; did you mean"},
      {"ranks = 2\n", "", "r.toml:1: how many ranks? Say ranks = 4"},
      {"ranks = 2", "ranks = 100000", "r.toml:2: ranks is a whole number from 1 to 256"},
      {"bytes = \"1000KB\"", "bytes = 1000",
       "r.toml:3: bytes is a string, such as bytes = \"64MB\""},
      {"bytes = \"1000KB\"", "bytes = \"much\"", "r.toml:3: \"much\" is not a size"},
      {"pass = 6", "pass = 11", "r.toml:4: pass is a whole number from 0 to 10"},
      {"pass = 6", "past = 6", "r.toml:4: "},
      {"steps = 2\nbusiest = \"2MB\"", "busiest = \"2MB\"",
       "r.toml:10: steps earn points against a par"},
      {"time = \"42us\"", "time = \"42\"", "r.toml:8: "},
      {"time = 1\n", "time = -1\n", "r.toml:13: time is a whole number from 0 to 1000"},
      {"right = 4\nsteps = 2\nbusiest = 3\ntime = 1\n", "", "[points] says what `right`"},
      {"[points]", "points = 3\n[point]", "r.toml:"},
      {"ranks = 2", "ranks = 2 2", "r.toml:2"},
  };
  for (const auto& c : cases) {
    std::string rubric = two_ranks;
    rubric.replace(rubric.find(c.from), std::string(c.from).size(), c.to);
    const auto read = parse_rubric(rubric, "r.toml");
    ASSERT_FALSE(read) << rubric;
    EXPECT_THAT(read.error().message, HasSubstr(c.says)) << rubric;
  }
}

}  // namespace
}  // namespace ringside::lessons
