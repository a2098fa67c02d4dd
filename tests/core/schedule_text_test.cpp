#include "core/formats/schedule_text.hpp"

#include <gmock/gmock.h>

#include "core/engine.hpp"
#include "core/formats/check_schedule.hpp"
#include "core/formats/schedule_file.hpp"
#include "core/formats/schedule_json.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

using testing::HasSubstr;

TEST(ScheduleText, EveryAlgorithmSurvivesTheWayToTextAndBack) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t ranks : {1u, 2u, 4u, 5u, 8u})
      for (const bool in_place : {false, true}) {
        const auto plan = make_plan(algorithm, {algorithm.collective, ranks, {0}, in_place}, {});
        if (!plan) continue;
        const auto schedule = build_schedule(*plan);
        ASSERT_TRUE(schedule) << schedule.error().message;
        const auto text = schedule_to_text(*schedule);
        const auto again = schedule_from_text_lines(text, "it");
        ASSERT_TRUE(again) << again.error().message << "\n" << text;
        EXPECT_EQ(schedule_to_json(again->schedule), schedule_to_json(*schedule)) << text;
        EXPECT_EQ(again->schedule.dependency_count(), schedule->dependency_count());
      }
}

constexpr const char* ring_of_four = R"(# reduce-scatter, then all-gather
all_reduce 4 ranks 4 chunks
step: 0->1: 0+; 1->2: 1+; 2->3: 2+; 3->0: 3+
step: 0->1: 3+; 1->2: 0+; 2->3: 1+; 3->0: 2+
step: 0->1: 2+; 1->2: 3+; 2->3: 0+; 3->0: 1+
step: 0->1: 1;  1->2: 2;  2->3: 3;  3->0: 0
step: 0->1: 0;  1->2: 1;  2->3: 2;  3->0: 3
step: 0->1: 3;  1->2: 0;  2->3: 1;  3->0: 2
)";

TEST(ScheduleText, ARingOfFourIsEightLines) {
  const auto told = schedule_from_text_lines(ring_of_four, "mine.txt");
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_TRUE(told->schedule.spec().in_place);
  EXPECT_EQ(told->schedule.steps(), 6u);
  EXPECT_TRUE(verify(told->schedule).empty());
  EXPECT_EQ(told->lines.size(), 24u);
  EXPECT_EQ(told->lines.front(), 3u);
  EXPECT_EQ(told->lines.back(), 8u);
}

/// The transfers of a body, in JSON's words.
std::string moves_of(const std::string& text) {
  const auto told = schedule_from_text_lines(text, "f");
  if (!told) return told.error().message;
  const auto json = schedule_to_json(told->schedule);
  return json.substr(json.find("\"steps\""));
}

TEST(ScheduleText, WhatOneLineSays) {
  const std::string in_place = "all_reduce 3 ranks 6 chunks\nstep\n";
  const std::string outside = "all_reduce 3 ranks 6 chunks out of place\nstep\n";
  struct Case {
    std::string head;
    const char *line, *says;
  };
  const Case cases[] = {
      {in_place, "0 -> 1: 2", R"("copy", "from": [0, "output", 2], "to": [1, "output", 2]})"},
      {in_place, "0→1:2+", R"("reduce", "from": [0, "output", 2], "to": [1, "output", 2]})"},
      {in_place, "0 -> 1: 2-4 +", R"([1, "output", 2], "chunks": 3})"},
      {in_place, "0 -> 1: 2, 5 +", R"([1, "output", 2]},
  {"action": "reduce", "from": [0, "output", 5], "to": [1, "output", 5]})"},
      {in_place, "0[3] -> 1[2] +", R"([0, "output", 3], "to": [1, "output", 2]})"},
      {in_place, "2 -> 2.scratch: 0", R"([2, "output", 0], "to": [2, "scratch", 0]})"},
      {in_place, "0.out -> 1: 2 + scratch channel 7",
       R"("with": [1, "scratch", 2], "to": [1, "output", 2], "channel": 7})"},
      {outside, "0.in -> 1.out: 2 + in",
       R"([0, "input", 2], "with": [1, "input", 2], "to": [1, "output", 2]})"},
      {outside, "0.in[2-3] -> 1.out[0-1] + in[4-5]",
       R"([0, "input", 2], "with": [1, "input", 4], "to": [1, "output", 0], "chunks": 2})"},
  };
  for (const auto& c : cases) EXPECT_THAT(moves_of(c.head + c.line), HasSubstr(c.says)) << c.line;
}

TEST(ScheduleText, StepsMaySayTheirNumberAndShareALineWithMoves) {
  const std::string head = "broadcast 3 ranks 1 chunk root 1\n";
  const auto plain = moves_of(head + "step\n1 -> 0: 0\nstep\n1 -> 2: 0\n");
  for (const char* body : {"step 0: 1 -> 0: 0\nstep 1: 1 -> 2: 0",
                           "step 0\n1->0:0 # the first\nstep 1 # and\r\n\n  1 -> 2: 0;\r\n",
                           "step: 1 -> 0: 0\nstep 1 -> 2: 0"})
    EXPECT_EQ(moves_of(head + body), plain) << body;
  EXPECT_EQ(moves_of("\xef\xbb\xbf" + head + "step\n1 -> 0: 0\nstep\n1 -> 2: 0\n"), plain);
}

struct Refused {
  const char *text, *says;
};
void expect_refused(const Refused& refused) {
  const auto told = schedule_from_text_lines(refused.text, "f");
  ASSERT_FALSE(told) << refused.text;
  EXPECT_THAT(told.error().message, HasSubstr(refused.says)) << refused.text;
  EXPECT_EQ(told.error().kind, ErrorKind::request);
}

// Each says which line, what was expected there, and what stands there.
TEST(ScheduleText, WhatIsWrongWithAHeader) {
  const Refused cases[] = {
      {"", "f is empty: a schedule starts with a header such as `all_reduce 4 ranks 4 chunks`"},
      {"# nothing\n", "f is empty"},
      {"\n%PDF-1.4",
       "f:2: expected a header such as `all_reduce 4 ranks 4 chunks` (MSCCL XML "
       "starts with <, a schedule in JSON with {), found \"%PDF-1.4\""},
      {"all_redcue 4 ranks 4 chunks", "f:1: there is no collective \"all_redcue\"; did you mean"},
      {"all_reduce", "f:1: expected the number of ranks, 1 to 1048576, found the end of the line"},
      {"all_reduce 0 ranks 1 chunk", "expected the number of ranks, 1 to 1048576, found \"0 ranks"},
      {"all_reduce 99999999999999999999 ranks", "expected the number of ranks"},
      {"all_reduce 4 4", "f:1: expected `ranks`, found \"4\""},
      {"all_reduce 4 ranks", "f:1: expected the number of chunks"},
      {"all_reduce 4 ranks 4 chnks", "expected `chunks`, found \"chnks\""},
      {"all_reduce 4 ranks 4 chunks root 1", "f:1: all_reduce has no root"},
      {"broadcast 4 ranks 4 chunks root 4", "expected the root, 0 to 3, found \"4\""},
      {"all_reduce 4 ranks 4 chunks in a hurry", "expected `root 2`, `1 agent`, `in place` or"},
      {"all_gather 4 ranks 6 chunks",
       "f:1: the vector of all_gather is 4 equal blocks, one a rank: "
       "its chunks must be a multiple of 4, not 6"},
      {"all_to_all 2 ranks 2 chunks in place", "f:1: all_to_all"},
      {"all_reduce 1000000 ranks 8000000 chunks", "f:1: the schedule is too large"},
  };
  for (const auto& c : cases) expect_refused(c);
}

TEST(ScheduleText, WhatIsWrongWithAMove) {
  const Refused cases[] = {
      {"all_reduce 2 ranks 2 chunks\n0 -> 1: 0", "f:2: expected `step` before the first move"},
      {"all_reduce 2 ranks 2 chunks\nstep 1: 0 -> 1: 0",
       "f:2: expected the number of this step, counted from 0, 0, found \"1: 0 -> 1: 0\""},
      {"all_reduce 2 ranks 2 chunks\nstep\n0 -> 2: 0",
       "f:3: expected a rank, 0 to 1, found \"2: 0\""},
      {"all_reduce 2 ranks 2 chunks\nstep\n0 => 1: 0", "f:3: expected `->`, found \"=> 1: 0\""},
      {"all_reduce 2 ranks 2 chunks\nstep\n0 -> 1 0", "f:3: expected `:` and chunks, as in"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0 -> 1: 2",
       "f:3: expected a chunk, 0 to 1, found \"2\""},
      {"all_reduce 2 ranks 2 chunks\nstep\n0 -> 1: 1-0", "expected the last of these chunks, 1"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0 -> 1: 0 + 1 -> 0: 1", "f:3: expected `;` and another"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0.in -> 1: 0",
       "f:3: in place, a rank's input and output "},
      {"all_reduce 2 ranks 2 chunks\nstep\n0.scrtch -> 1: 0", "f:3: expected `scratch`, found"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0[0] -> 1: 0", "f:3: brackets stand on both sides"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0[0-1] -> 1[1] +",
       "f:3: as many chunks arrive as leave: 2"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0[0 -> 1[1] +", "f:3: expected `]`"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0[0] -> 1[1] + scratch[0-1]",
       "f:3: as many chunks are added to as arrive: 1, not 2"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0.scratch -> 1.scratch: 5 + out",
       "f:3: what is added to is no chunk: there are 2 chunks"},
      {"all_reduce 2 ranks 2 chunks\nstep\n1 -> 1: 0", "f:3: that chunk is there already"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0 -> 1: 0 channel 1024",
       "expected a channel, 0 to 1023"},
      {"all_reduce 2 ranks 2 chunks out of place\nstep\n0 -> 1: 0",
       "f:3: out of place, rank 0 has an input and an output: say which, as in `0.in -> 1.out: 3`"},
      {"all_reduce 2 ranks 2 chunks out of place\nstep\n0.in -> 1.in: 0", "f:3: an input is never"},
      {"all_reduce 2 ranks 2 chunks\nstep\n0 -> 0.scratch: 0-1; 0.scratch -> 1.scratch: 0-8000000",
       "f:3: the schedule is too large"},
  };
  for (const auto& c : cases) expect_refused(c);
}

TEST(ScheduleText, HostileTextIsRefusedAtOnce) {
  const std::string head = "all_reduce 2 ranks 2 chunks\nstep\n";
  for (const std::string& text :
       {std::string(1'000'000, '['), std::string(1'000'000, '\0'), head + std::string(1 << 20, ';'),
        head + "0" + std::string(1 << 20, '.'), head + "0 -> 1: " + std::string(1 << 20, '9'),
        head + "0 -> 1: \x1b[2J", std::string("step\n"), std::string("\xff\xfe")})
    EXPECT_FALSE(schedule_from_text_lines(text, "f"));
  const auto shown = schedule_from_text_lines(head + "0 -> 1: \x1b[2J", "f");
  EXPECT_THAT(shown.error().message, testing::Not(HasSubstr("\x1b"))) << "a terminal would obey";
}

TEST(ScheduleText, AFindingNamesItsLine) {
  std::string text = ring_of_four;
  const auto at = text.find("2->3: 1+");
  text.replace(at, 8, "2->3: 2+");
  const auto report = check_schedule_text(text, "mine.txt");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->format, "schedule text");
  ASSERT_FALSE(report->findings.empty());
  bool names_a_line = false;
  for (const auto& finding : report->findings)
    names_a_line = names_a_line || finding.what.find("(line ") != std::string::npos;
  EXPECT_TRUE(names_a_line) << to_string(*report);
}

TEST(ScheduleText, IsAScheduleFileLikeTheOthers) {
  const auto file = schedule_from_text(ring_of_four, "dir/mine.txt");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->name, "mine");
  EXPECT_EQ(file->schedule.transfers().size(), 24u);
  const auto refused = schedule_from_text(ring_of_four, "mine.txt", false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("mine.txt is a schedule in place: say --in-place"));
  const auto wrong = schedule_from_text("all_reduce 2 ranks 1 chunk\nstep\n0 -> 1: 0", "f");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::wrong);
}

TEST(ScheduleText, LongStepsTakeALineAMove) {
  const auto plan = make_plan(**find_algorithm(CollectiveKind::all_reduce, "ring"),
                              {CollectiveKind::all_reduce, 12, {0}, true}, {});
  const auto text = schedule_to_text(*build_schedule(*plan));
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100u);
  }
  EXPECT_THAT(text, testing::StartsWith("all_reduce 12 ranks 12 chunks\nstep 0\n  0 -> 1: 11 +\n"));
}

}  // namespace
}  // namespace ringside
