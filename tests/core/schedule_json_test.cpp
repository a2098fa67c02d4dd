#include "core/formats/schedule_json.hpp"

#include <gmock/gmock.h>

#include "core/engine.hpp"
#include "core/verifier.hpp"

namespace ringside {
namespace {

using testing::HasSubstr;

TEST(ScheduleJson, EveryAlgorithmSurvivesTheWayToTextAndBack) {
  for (const Algorithm& algorithm : all_algorithms())
    for (const std::uint32_t ranks : {1u, 2u, 4u, 5u, 8u})
      for (const bool in_place : {false, true}) {
        const auto plan = make_plan(algorithm, {algorithm.collective, ranks, {0}, in_place}, {});
        if (!plan) continue;
        const auto schedule = build_schedule(*plan);
        ASSERT_TRUE(schedule) << schedule.error().message;
        const auto text = schedule_to_json(*schedule);
        const auto again = schedule_from_json(text, "it");
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(schedule_to_json(*again), text);
        EXPECT_EQ(again->dependency_count(), schedule->dependency_count());
        EXPECT_TRUE(verify(*again).empty());
      }
}

TEST(ScheduleJson, LeavesOutWhatIsUsual) {
  const auto schedule = schedule_from_json(R"({"ringside_schedule": 1, "collective": "broadcast",
      "ranks": 2, "chunks": 1, "steps": [[
        {"action": "copy", "from": [0, "input", 0], "to": [0, "output", 0]},
        {"action": "copy", "from": [0, "input", 0], "to": [1, "output", 0]}]]})",
                                           "short.json");
  ASSERT_TRUE(schedule) << schedule.error().message;
  EXPECT_TRUE(verify(*schedule).empty());
}

/// A valid text with `from` replaced by `to` once.
std::string changed(const std::string& from, const std::string& to) {
  std::string text =
      R"({"ringside_schedule": 1, "collective": "all_reduce", "ranks": 2, "root": 0, )"
      R"("in_place": false, "chunks": 4, "agents": 0, "steps": [[)"
      R"({"action": "reduce", "from": [0, "input", 3], "with": [1, "input", 2], )"
      R"("to": [1, "output", 1], "chunks": 1, "channel": 0}]]})";
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ScheduleJson, SaysWhereAndWhatWasExpected) {
  struct Case {
    const char *from, *to, *says;
  };
  const Case cases[] = {
      {"\"ranks\": 2", "\"ranks\": 1000000000",
       "f: /ranks: expected a whole number from 1 to 1048576, found 1000000000"},
      {"\"ranks\": 2, ", "", "f: the field \"ranks\" is missing"},
      {"\"ranks\": 2", "\"ranks\": -2", "/ranks: expected a whole number"},
      {"\"ranks\": 2", "\"ranks\": 1e3", "/ranks: expected a whole number"},
      {"\"ranks\": 2", "\"ranks\": \"2\"", "found \"2\""},
      {"\"root\": 0", "\"rot\": 0", "did you mean root?"},
      {"all_reduce", "all_redcue", "/collective: there is no collective \"all_redcue\"; did you"},
      {"\"ringside_schedule\": 1", "\"ringside_schedule\": 2",
       "/ringside_schedule: expected 1, found 2"},
      {"[0, \"input\", 3]", "[0, \"input\"]", "/steps/0/0/from: expected a slot"},
      {"[0, \"input\", 3]", "[2, \"input\", 3]",
       "/steps/0/0/from/0: expected a whole number from 0"},
      {"[0, \"input\", 3]", "[0, \"inptu\", 3]",
       "/steps/0/0/from/1: expected \"input\", \"output\""},
      {"[0, \"input\", 3]", "[0, \"input\", 4]",
       "/steps/0/0/from/2: expected a whole number from 0"},
      {"[0, \"input\", 3]", "[0, 7, 3]", "found 7"},
      {"\"with\": [1,", "\"with\": [0,", "/steps/0/0/with: expected a slot on rank 1, where"},
      {"\"reduce\"", "\"copy\"", "/steps/0/0/with: only a reduce has an operand"},
      {"\"reduce\"", "\"add\"",
       "/steps/0/0/action: expected \"copy\" or \"reduce\", found \"add\""},
      {"\"chunks\": 1", "\"chunks\": 2", "reaches past the 4 chunks of input[3] on rank 0"},
      {"\"chunks\": 1", "\"chunks\": 0", "/steps/0/0/chunks: expected a whole number from 1"},
      {"\"chunks\": 4", "\"chunks\": 8000000", "the schedule is too large"},
      {"\"channel\": 0", "\"channel\": 1024", "/channel: expected a whole number from 0 to 1023"},
      {"\"to\": [1, \"output\"", "\"to\": [1, \"input\"", "an out-of-place input is never written"},
      {"[[", "[3, [", "/steps/0: expected a step: an array of transfers"},
      {"}]]}", "}]", "f is not JSON: at byte"},
      {"\"ranks\": 2", "\"ranks\": 2E77777777", "too large for any count"},
      {"\"chunks\": 4", "\"chunks\": 5", "ok"},
  };
  for (const Case& c : cases) {
    const auto schedule = schedule_from_json(changed(c.from, c.to), "f");
    EXPECT_THAT(schedule ? "ok" : schedule.error().message, HasSubstr(c.says)) << c.to;
  }
}

TEST(ScheduleJson, RefusesWhatIsNoObjectAtAll) {
  for (const char* text : {"", "[]", "7", "null", "{}", "\xff\xfe", "{\"a\": \"\xff\"}"})
    EXPECT_FALSE(schedule_from_json(text, "f")) << text;
  EXPECT_FALSE(schedule_from_json(std::string(1'000'000, '['), "f"));
}

TEST(ScheduleJson, NestingAsDeepAsAFileAllowsIsRefused) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  for (const char* field : {"\"ranks\": 2", "\"root\": 0", "\"in_place\": false"}) {
    const std::string key(field, std::string_view(field).find(':') + 2);
    const auto schedule = schedule_from_json(changed(field, key + deep), "f");
    ASSERT_FALSE(schedule) << field;
    EXPECT_THAT(schedule.error().message, HasSubstr("nests 5 deep at most"));
  }
  EXPECT_TRUE(schedule_from_json(changed("", ""), "f"));
  EXPECT_THAT(schedule_from_json(changed("\"ranks\"", "\"]]\\\"[[[[[[\": 1, \"ranks\""), "f")
                  .error()
                  .message,
              HasSubstr("there is no field"));  // brackets in strings do not count
}

}  // namespace
}  // namespace ringside
