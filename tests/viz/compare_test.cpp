// `ringside compare` matches results row by row, says how they differ, and fails where told to.

#include <fmt/format.h>
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
using ::testing::Not;

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
  EXPECT_THAT(slow.out, HasSubstr("# 4 of 4 rows slower by more than 5 %\n"));
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

TEST_F(Compare, WrongOrMissingFailsHoweverFast) {
  const auto a = file("a", results(1).dump());
  auto wrong = results(0.5);
  wrong["results"][2]["wrong"] = 7;
  const auto b = file("wrong", wrong.dump());
  const auto failed = run({"compare", a, b, "--fail-over", "5%"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.out, HasSubstr("# wrong elements: 7 at 4 KiB: FAILED\n"));
  EXPECT_THAT(failed.out, HasSubstr("# 0 of 4 rows slower by more than 5 %\n"));
  const auto json = Json::parse(run({"compare", a, b, "--fail-over", "5%", "--json"}).out);
  EXPECT_EQ(json["results"][2]["wrong"], 7);
  EXPECT_EQ(json["results"][2]["pass"], false);
  EXPECT_EQ(json["results"][1]["pass"], true);
  EXPECT_EQ(run({"compare", a, b}).status, 0) << "nothing was asked for";

  auto half = results(1);
  half["results"].erase(0);
  half["results"].erase(0);
  const auto missing = run({"compare", a, file("half", half.dump()), "--fail-over", "5%"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.out, HasSubstr("# 2 rows of the first file missing in the second: FAILED\n"));
  EXPECT_EQ(run({"compare", file("half", half.dump()), a, "--fail-over", "5%"}).status, 0)
      << "more than before is no fault";
}

TEST_F(Compare, RowsAreMatchedByExecutorAndOthersAreNamed) {
  auto before = results(1), now = results(1);
  for (Json& row : before["results"]) row["backend"] = "host/sliced";
  auto other = before["results"][0];
  other["backend"] = "host/ranks";
  other["time_us"] = 1000;
  before["results"].insert(before["results"].begin(), other);  // the first that is alike
  for (Json& row : now["results"]) row["backend"] = "host/sliced";
  now["results"][3]["backend"] = "cuda/streams";
  const std::vector<std::string> words{"compare", file("a", before.dump()), file("b", now.dump())};
  const auto json = Json::parse(run({words[0], words[1], words[2], "--json"}).out);
  EXPECT_EQ(json["results"][0]["change"], 0) << "another executor's time was taken";
  EXPECT_FALSE(json["results"][0].contains("before_backend"));
  EXPECT_EQ(json["results"][3]["backend"], "cuda/streams");
  EXPECT_EQ(json["results"][3]["before_backend"], "host/sliced");
  const auto table = run(words).out;
  EXPECT_THAT(table, HasSubstr("protocol  executor\n"));
  EXPECT_THAT(table, HasSubstr("  cuda/streams\n"));
  EXPECT_THAT(table, HasSubstr("# not the same executors: host/sliced before, cuda/streams now\n"));
}

TEST_F(Compare, RowsThatNothingSimulatesAreLeftOut) {
  auto json = results(1);
  json["results"][0]["algorithm"] = "native";
  json["results"][1]["algorithm"] = "none";
  json["results"][2]["algorithm"] = "nvls";
  const auto ran = run({"compare", file("a", json.dump()), "--system", "mesh"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("# below 1 MiB: 1 row, median"));
  EXPECT_THAT(ran.out, HasSubstr("# native without a prediction: it follows no schedule"));
  EXPECT_THAT(ran.out, HasSubstr("# none without a prediction: it follows no schedule"));
  EXPECT_THAT(ran.out, HasSubstr("# nvls without a prediction: "));
  json["results"].erase(3);
  EXPECT_EQ(run({"compare", file("a", json.dump()), "--system", "mesh"}).status, 2);
}

/// All columns that run has.
TEST_F(Compare, ReadsEveryTableOfRun) {
  for (const std::string more :
       {"", " -I", " -I --out-of-place", " --predict mesh", " -I --predict mesh", " -c 0"}) {
    const auto table = (here_ / "table").string();
    ASSERT_EQ(run(fmt::format("run --ranks 2 -b 64K -e 128K -n 3 --out {}{}", table, more)).status,
              0)
        << more;
    const auto read = run({"compare", table, table, "--json"});
    ASSERT_EQ(read.status, 0) << more << read.err;
    const auto rows = Json::parse(read.out)["results"];
    const bool one = more.find("--out-of-place") != std::string::npos;
    ASSERT_EQ(rows.size(), one ? 2u : 4u) << more;
    // What the table says, in its own columns: time follows the root, and each placement begins so.
    std::vector<std::string> lines_of_table;
    for (const auto& line : lines(*read_file(table)))
      if (line[0] != '#') lines_of_table.push_back(line);
    for (const Json& row : rows) {
      EXPECT_EQ(row["algorithm"], "ring") << more;
      EXPECT_EQ(row["backend"], "host/sliced") << more;
      const auto words = split(lines_of_table[row["bytes"] == 65536 ? 0 : 1]);
      const std::size_t each = more.find("-I") != std::string::npos ? 8 : 4;
      const auto& time = words[5 + (row["in_place"] ? each : 0)];
      EXPECT_NEAR(row["time_us"].get<double>(), std::stod(time), 0.01) << more;
    }
  }
}

TEST_F(Compare, TakesWhatRunWrites) {
  const auto json = (here_ / "json").string(), table = (here_ / "table").string();
  ASSERT_EQ(run({"run", "--ranks", "3", "-b", "1K", "-e", "4K", "--json", "--out", json}).status,
            0);
  ASSERT_EQ(run({"run", "--ranks", "3", "-b", "1K", "-e", "4K", "--out", table}).status, 0);
  const auto ran = run({"compare", json, table});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("# below 1 MiB: 6 rows, median change "));
  const auto predicted = run({"compare", table, "--system", "star", "--json"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const auto rows = Json::parse(predicted.out)["results"];
  ASSERT_EQ(rows.size(), 6u);
  for (const Json& row : rows)
    EXPECT_NEAR(row["error"].get<double>(),
                row["predicted_us"].get<double>() / row["time_us"].get<double>() - 1, 1e-9);
}

TEST_F(Compare, EveryPublishedTableHasAPrediction) {
  const char* const told = std::getenv("RINGSIDE_SHARED_DATA");
  const fs::path data = told != nullptr ? told : RINGSIDE_SOURCE_DIR "/../shared/data";
  if (!fs::exists(data / "nccl_logs")) GTEST_SKIP() << "no published tables in " << data;
  for (const auto& entry : fs::directory_iterator(data / "nccl_logs")) {
    const auto log = entry.path().string();
    if (entry.path().extension() != ".json") continue;
    const auto ran = run({"compare", log, "--json"});
    if (entry.path().filename().string().starts_with("41")) {
      EXPECT_EQ(ran.status, 2) << log;
      EXPECT_THAT(ran.err, HasSubstr("one rank"));
      continue;
    }
    ASSERT_EQ(ran.status, 0) << log << ran.err;
    const auto json = Json::parse(ran.out);
    EXPECT_GE(json["results"].size(), 4u) << log;
    EXPECT_THAT(json["assumed"][0].get<std::string>(), HasSubstr("taken for")) << log;
    for (const Json& row : json["results"]) {
      EXPECT_GT(row["predicted_us"].get<double>(), 0) << log << row;
      EXPECT_TRUE(row.contains("protocol")) << log << row;
    }
  }
}

/// A log of two nodes of eight GPUs, whose first size has a first-use spike.
std::string two_nodes() {
  std::string text = "# Collective test starting: all_reduce_perf\n";
  for (int rank = 0; rank < 16; ++rank)
    text += "#  Rank " + std::to_string(rank) + " Group  0 Pid " + std::to_string(rank) +
            " on  node" + std::to_string(rank / 8) + " device " + std::to_string(rank % 8) +
            " [0000:1b:00] NVIDIA H100 80GB HBM3\n";
  return text +
         "          64            16     float     sum      -1   108.10    0.00    0.00      0    "
         "31.00    0.00    0.00      0\n"
         "         128            32     float     sum      -1    31.20    0.00    0.01      0    "
         "31.10    0.00    0.01      0\n"
         "   134217728      33554432     float     sum      -1   760.00  176.60  331.13      0   "
         "762.00  176.14  330.26      0\n";
}

TEST_F(Compare, TheSystemIsReadOffTheLog) {
  const auto log = file("log", two_nodes());
  const auto ran = run({"compare", log});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("# taken for 2 nodes of 8 GPUs (hopper, 371 GB/s of NVLink each, "
                                 "switches that reduce), joined by 8 NICs of 50 GB/s a node (ib), "
                                 "from \"NVIDIA H100 80GB HBM3\" and the NICs of a dgx-h100; "
                                 "--system changes it\n"));
  EXPECT_THAT(ran.out, HasSubstr("stands out"));
  EXPECT_THAT(ran.out, HasSubstr("# below 1 MiB: 3 rows, median error"));
  EXPECT_THAT(ran.out, HasSubstr("# from 1 MiB: 2 rows, median error"));
  EXPECT_THAT(ran.out, HasSubstr("64 B\n"));
  const auto other = run({"compare", file("other",
                                          "n:1:2 [0] NCCL INFO NET/IB : Using "
                                          "[0]mlx5_0:1/RoCE\n" +
                                              two_nodes())});
  EXPECT_THAT(other.out, HasSubstr("joined by 8 NICs of 50 GB/s a node (roce), from"));
  const auto told = run({"compare", log, "--system", "dgx-h100"});
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("# taken for 2 nodes of 8 GPUs (hopper"));
  EXPECT_THAT(told.out, HasSubstr("as --system dgx-h100 says"));
}

TEST_F(Compare, WhatCannotBeReadOffTheLogIsAskedFor) {
  const std::string row = "1048576 262144 float sum -1 40.00 26.21 45.88 0 41.00 25.58 44.76 0\n";
  const auto nameless = run({"compare", file("a", "# all_reduce_perf\n" + row)});
  EXPECT_EQ(nameless.status, 2);
  EXPECT_THAT(nameless.err, HasSubstr("--system dgx-h100 --nodes 2 --net ndr"));
  const auto wordless = run({"compare", file("b", "1024 64 float none -1 40.00 0.03 0.02 0\n")});
  EXPECT_EQ(wordless.status, 2);
  EXPECT_THAT(wordless.err, HasSubstr("say it with --collective"));
  const auto bare = run({"compare", file("c", row), "--system", "ring"});
  EXPECT_EQ(bare.status, 2);
  EXPECT_THAT(bare.err, HasSubstr("bare wires"));
  EXPECT_EQ(run({"compare", file("c", row), "--system", "ring", "--algorithm", "best"}).status, 0);
}

TEST_F(Compare, AProtocolMayBeAskedFor) {
  const auto log = file("log", two_nodes());
  const auto ran = run({"compare", log, "--protocol", "Simple", "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = Json::parse(ran.out);
  for (const Json& row : json["results"]) EXPECT_EQ(row["protocol"], "Simple");
  EXPECT_TRUE(json["results"][0]["stands_out"].get<bool>());
  EXPECT_EQ(run({"compare", log, "--protocol", "LL256"}).status, 2);
}

/// A log of a ring whose steps take `us` + bytes / `gigabytes`, as text.
std::string ring_log(std::uint32_t ranks, double us, double gigabytes) {
  std::string text = "# nRanks " + std::to_string(ranks) + " all_reduce_perf\n";
  for (std::uint64_t bytes = 1024 * ranks; bytes <= 1u << 30; bytes *= 8) {
    const double steps = 2 * (ranks - 1),
                 time = steps * (us + static_cast<double>(bytes) / ranks / gigabytes / 1e3);
    char row[120];
    std::snprintf(row, sizeof row, "%llu %llu float sum -1 %.4f %.4f %.4f 0\n",
                  static_cast<unsigned long long>(bytes),
                  static_cast<unsigned long long>(bytes / 4), time,
                  static_cast<double>(bytes) / time / 1e3,
                  static_cast<double>(bytes) / time / 1e3 * steps / ranks);
    text += row;
  }
  return text;
}

TEST_F(Compare, WhatIsFittedRunsAsTheLogDid) {
  const auto log = file("log", ring_log(6, 3, 100));
  const auto machine = (here_ / "fitted.toml").string();
  const auto ran = run({"compare", log, "--fit", "--out", machine, "--json"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = Json::parse(ran.out);
  EXPECT_NEAR(json["fit"]["latency_us"].get<double>(), 3, 1e-3);
  EXPECT_NEAR(json["fit"]["bandwidth_GBps"].get<double>(), 100, 0.01);
  EXPECT_NEAR(json["fit"]["bandwidth_GBps_range"][0].get<double>(), 100, 0.1) << "a line is exact";
  const auto said = run({"compare", log, "--fit", "--out", machine}).out;
  EXPECT_THAT(said, HasSubstr("# latency of a step: 3 us (3 us to 3 us as any one size"));
  EXPECT_THAT(said, HasSubstr("# bandwidth of a port: 100 GB/s ("));
  EXPECT_THAT(said, HasSubstr("# written to " + machine + ": ringside simulate --system "));
  const auto again = run({"compare", log, "--system", machine, "--algorithm", "ring", "--json"});
  ASSERT_EQ(again.status, 0) << again.err;
  const auto rows = Json::parse(again.out)["results"];
  EXPECT_GE(rows.size(), 6u);
  for (const Json& row : rows) EXPECT_NEAR(row["error"].get<double>(), 0, 1e-3) << row;
}

TEST_F(Compare, ASpikeDoesNotBendTheFit) {
  auto text = ring_log(6, 3, 100);
  const auto clean = run({"compare", file("a", text), "--fit", "--json"});
  const auto at = text.find(" -1 ") + 4;  // the first time: a hundredfold
  text.insert(text.find('.', at), "00");
  const auto spiked = run({"compare", file("b", text), "--fit", "--json"});
  ASSERT_EQ(spiked.status, 0) << spiked.err;
  EXPECT_NEAR(Json::parse(spiked.out)["fit"]["latency_us"].get<double>(),
              Json::parse(clean.out)["fit"]["latency_us"].get<double>(), 1e-3);
}

/// A published table whose rows in place ran an MSCCL algorithm.
Json given_in_place() {
  Json json{{"hardware", "8x AMD MI300X"},
            {"collective", "all_gather"},
            {"dtype", "float"},
            {"notes", "in_place rows ran the MSCCL algorithm some/where/ring8.xml; others RCCL"},
            {"rows", Json::array()}};
  for (const int bytes : {1 << 16, 1 << 20, 1 << 24})
    for (const bool in_place : {false, true})
      json["rows"].push_back({{"bytes", bytes}, {"time_us", 100}, {"in_place", in_place}});
  return json;
}

TEST_F(Compare, WhatALibraryWasGivenIsNotItsChoice) {
  const auto log = file("given.json", given_in_place().dump());
  const auto chosen = run({"compare", log});
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_THAT(chosen.out, HasSubstr("left out: 3 rows of ring8, which the library was given"));
  EXPECT_THAT(chosen.out, Not(HasSubstr(" in place ")));

  const auto xml = (here_ / "ring8.xml").string();
  const auto exported = run({"schedule", "export", "--collective", "all_gather", "--ranks", "8",
                             "--in-place", "--format", "msccl", "--out", xml});
  ASSERT_EQ(exported.status, 0) << exported.err;
  const auto given = run({"compare", log, "--schedule", xml, "--json"});
  ASSERT_EQ(given.status, 0) << given.err;
  const auto rows = Json::parse(given.out)["results"];
  ASSERT_EQ(rows.size(), 3u);
  for (const Json& row : rows) {
    EXPECT_EQ(row["in_place"], true);
    EXPECT_EQ(row["protocol"], "Simple");
  }
  const auto simulated =
      run({"simulate", "--system", "mi300x", "--schedule", xml, "-b", "1M", "-e", "1M", "--json"});
  EXPECT_EQ(rows[1]["predicted_us"], Json::parse(simulated.out)["results"][0]["time_us"]);
  EXPECT_EQ(run({"compare", log, "--schedule", xml, "--fit"}).status, 2);
  EXPECT_EQ(run({"compare", log, "--schedule", log}).status, 2);
}

TEST_F(Compare, WhatCannotBeFittedIsRefused) {
  const auto one = file("one", ring_log(1u << 17, 3, 100));
  EXPECT_THAT(run({"compare", one, "--fit"}).err, HasSubstr("of 2 to 4096 ranks"));
  const auto few =
      file("few", "# all_reduce_perf\n# nRanks 4\n1024 256 float sum -1 9.0 0.1 0.1 0\n");
  EXPECT_THAT(run({"compare", few, "--fit"}).err, HasSubstr("three sizes"));
  EXPECT_THAT(run({"compare", few, few, "--fit"}).err, HasSubstr("for one result"));
  EXPECT_THAT(run({"compare", few, "--fit", "--system", "dgx-h100"}).err, HasSubstr("no part"));
  auto flat = results(1);
  for (auto& row : flat["results"]) row["time_us"] = 10;
  flat["results"].push_back(flat["results"][0]);
  flat["results"].back()["bytes"] = 16384;
  EXPECT_THAT(run({"compare", file("flat", flat.dump()), "--fit"}).err,
              HasSubstr("do not grow with the size"));
  flat["results"].back()["time_us"] = 10.01;  // grows, by less than any measurement tells
  EXPECT_THAT(run({"compare", file("flat", flat.dump()), "--fit"}).err,
              HasSubstr("do not grow with the size"));
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
