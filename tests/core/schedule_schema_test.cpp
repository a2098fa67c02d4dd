// docs/schedule.schema.json says of schedules as files what the program does.

#include <gtest/gtest.h>

#include "core/engine.hpp"
#include "core/file.hpp"
#include "core/formats/schedule_json.hpp"
#include "tests/core/json_schema.hpp"

namespace ringside {
namespace {

JsonSchema schema() {
  return JsonSchema(*read_file(std::string(RINGSIDE_SOURCE_DIR) + "/docs/schedule.schema.json"));
}

TEST(ScheduleSchema, TakesAllThatIsWritten) {
  const JsonSchema valid = schema();
  for (const Algorithm& algorithm : all_algorithms())
    for (const bool in_place : {false, true}) {
      const CollectiveSpec spec{.kind = algorithm.collective, .ranks = 4, .in_place = in_place};
      const auto plan = make_plan(algorithm, spec, {});
      if (!plan) continue;
      const std::string text = schedule_to_json(*build_schedule(*plan));
      EXPECT_EQ(valid.fault(nlohmann::json::parse(text)), "") << algorithm.name;
    }
}

constexpr const char* whole = R"({
  "ringside_schedule": 1, "collective": "all_reduce", "ranks": 2, "root": 0, "in_place": false,
  "chunks": 1, "agents": 0,
  "steps": [[{"action": "reduce", "from": [0, "input", 0], "with": [1, "input", 0],
              "to": [1, "output", 0], "chunks": 1, "channel": 0}],
            [{"action": "copy", "from": [1, "output", 0], "to": [0, "output", 0]}]]})";

/// A whole schedule with one place changed; null: it is taken away.
std::string with(const char* place, const nlohmann::json& value) {
  auto json = nlohmann::json::parse(whole);
  const nlohmann::json::json_pointer at(place);
  if (value.is_null())
    json[at.parent_pointer()].erase(at.back());
  else
    json[at] = value;
  return json.dump();
}

/// Both say the same: the reader, and the schema that describes it.
void expect_both(bool takes, const std::string& text) {
  EXPECT_EQ(schema().fault(nlohmann::json::parse(text)).empty(), takes) << text;
  const auto read = schedule_from_json(text, "it");
  EXPECT_EQ(read.has_value(), takes) << text << (read ? "" : read.error().message);
}

TEST(ScheduleSchema, AndTheReaderWantTheSameFields) {
  expect_both(true, whole);
  for (const char* const optional : {"/root", "/in_place", "/agents", "/steps/0/0/with",
                                     "/steps/0/0/chunks", "/steps/0/0/channel"})
    expect_both(true, with(optional, nullptr));
  for (const char* const needed :
       {"/ringside_schedule", "/collective", "/ranks", "/chunks", "/steps", "/steps/0/0/action",
        "/steps/0/0/from", "/steps/0/0/to", "/steps/0/0/from/2"}) {
    auto json = nlohmann::json::parse(whole);
    const nlohmann::json::json_pointer at(needed);
    auto& parent = json[at.parent_pointer()];
    parent.is_array() ? parent.erase(2) : static_cast<void>(parent.erase(at.back()));
    expect_both(false, json.dump());
  }
}

TEST(ScheduleSchema, AndTheReaderRefuseTheSame) {
  expect_both(false, with("/more", 1));
  expect_both(false, with("/ringside_schedule", 2));
  expect_both(false, with("/collective", "all_in"));
  expect_both(false, with("/ranks", 0));
  expect_both(false, with("/ranks", 1.5));
  expect_both(false, with("/ranks", 1048577));
  expect_both(false, with("/in_place", "no"));
  expect_both(false, with("/chunks", 0));
  expect_both(false, with("/steps", 7));
  expect_both(false, with("/steps/0", 7));
  expect_both(false, with("/steps/0/0", 7));
  expect_both(false, with("/steps/0/0/hue", "red"));
  expect_both(false, with("/steps/0/0/action", "move"));
  expect_both(false, with("/steps/0/0/chunks", 0));
  expect_both(false, with("/steps/0/0/channel", 1024));
  expect_both(false, with("/steps/0/0/from", "input"));
  expect_both(false, with("/steps/0/0/from/0", -1));
  expect_both(false, with("/steps/0/0/from/1", "attic"));
  expect_both(false, with("/steps/0/0/from/3", 0));
}

}  // namespace
}  // namespace ringside
