// `ringside compare` matches results row by row, says how they differ, and fails where told to.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::HasSubstr;

class Compare : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    const auto path = (here_ / name).string();
    EXPECT_TRUE(write_file(path, text));
    return path;
  }
  /// Results of two sizes in both placements, as if measured.
  static Json results(double factor) {
    Json json{{"ringside", 1}, {"command", "run"}, {"results", Json::array()}};
    for (const int bytes : {1024, 4096})
      for (const bool in_place : {false, true})
        json["results"].push_back({{"collective", "all_reduce"},
                                   {"algorithm", "ring"},
                                   {"ranks", 4},
                                   {"bytes", bytes},
                                   {"type", "float"},
                                   {"redop", "sum"},
                                   {"in_place", in_place},
                                   {"time_us", bytes / 100.0 * factor}});
    return json;
  }
  Compare() { fs::create_directories(here_); }
  ~Compare() override { fs::remove_all(here_); }
  fs::path here_ = fs::path(testing::TempDir()) / ("ringside_compare_" + std::to_string(getpid()));
};

TEST_F(Compare, SlowerByMoreThanToldFails) {
  const auto a = file("a", results(1).dump()), b = file("b", results(1.04).dump()),
             c = file("c", results(1.06).dump());
  EXPECT_EQ(run({"compare", a, b, "--fail-over", "5%"}).status, 0);
  const auto slow = run({"compare", a, c, "--fail-over", "5%"});
  EXPECT_EQ(slow.status, 1);
  EXPECT_THAT(slow.out, HasSubstr("# 4 of 4 rows are slower by more than 5 %\n"));
  EXPECT_EQ(run({"compare", c, a, "--fail-over", "5%"}).status, 0) << "faster is no fault";
  EXPECT_EQ(run({"compare", a, c}).status, 0) << "nothing was asked for";
}

TEST_F(Compare, RowsAreMatchedByWhatWasRun) {
  auto other = results(2);
  std::swap(other["results"][0], other["results"][3]);  // order does not matter
  other["results"][1]["type"] = "half";                 // and this is another thing
  const auto ran =
      run({"compare", file("a", results(1).dump()), file("b", other.dump()), "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = Json::parse(ran.out);
  EXPECT_EQ(json["command"], "compare");
  ASSERT_EQ(json["results"].size(), 3u);
  for (const Json& row : json["results"]) {
    EXPECT_DOUBLE_EQ(row["change"].get<double>(), 1);
    EXPECT_DOUBLE_EQ(row["before_us"].get<double>(), row["bytes"].get<double>() / 100);
  }
  EXPECT_EQ(json["notes"][0], "rows without a partner: 1 of the first file, 1 of the second");
}

TEST_F(Compare, TakesWhatRunWrites) {
  const auto json = (here_ / "json").string(), table = (here_ / "table").string();
  ASSERT_EQ(run({"run", "--ranks", "3", "-b", "1K", "-e", "4K", "--json", "--out", json}).status,
            0);
  ASSERT_EQ(run({"run", "--ranks", "3", "-b", "1K", "-e", "4K", "--out", table}).status, 0);
  const auto ran = run({"compare", json, table});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("# 6 rows, median change "));
  const auto predicted = run({"compare", table, "--system", "star", "--json"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const auto rows = Json::parse(predicted.out)["results"];
  ASSERT_EQ(rows.size(), 6u);
  for (const Json& row : rows)
    EXPECT_NEAR(row["error"].get<double>(),
                row["predicted_us"].get<double>() / row["time_us"].get<double>() - 1, 1e-9);
}

TEST_F(Compare, PublishedTablesHavePredictions) {
  const char* const told = std::getenv("RINGSIDE_SHARED_DATA");
  const fs::path data = told != nullptr ? told : RINGSIDE_SOURCE_DIR "/../shared/data";
  const auto log = (data / "nccl_logs/16_h100x8_nvswitch_all_reduce.json").string();
  if (!fs::exists(log)) GTEST_SKIP() << "no published tables in " << data;
  const auto ran = run({"compare", log, "--system", "dgx-h100", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["results"].size(), 64u);
}

TEST_F(Compare, WhatIsNoResultIsRefusedInASentence) {
  const std::pair<std::string, const char*> odd[] = {
      {"", "holds no measured rows"},
      {"{", "is not JSON"},
      {"{\"ringside\": 1}", "no list of \"results\""},
      {"{\"results\": [3]}", "row 0: it is no JSON object"},
      {"{\"results\": [{\"collective\": \"all_reduce\", \"bytes\": 8}]}", "has no time"},
      {"{\"results\": [{\"collective\": \"all_reduce\", \"bytes\": -8, \"time_us\": 1}]}",
       "has no size"},
      {"{\"results\": [{\"collective\": \"all_red\", \"bytes\": 8, \"time_us\": 1}]}",
       "did you mean all_reduce"}};
  for (const auto& [text, said] : odd) {
    const auto ran = run({"compare", file("odd", text), file("b", results(1).dump())});
    EXPECT_EQ(ran.status, 2) << text;
    EXPECT_THAT(ran.err, HasSubstr(said)) << text;
  }
  const auto a = file("a", results(1).dump());
  EXPECT_THAT(run({"compare", a}).err, HasSubstr("a second result, or --system"));
  EXPECT_THAT(run({"compare", a, a, "--system", "ring"}).err, HasSubstr("for one result"));
  EXPECT_THAT(run({"compare", a, a, "--fail-over", "much"}).err, HasSubstr("such as 5%"));
}

}  // namespace
}  // namespace ringside::terminal
