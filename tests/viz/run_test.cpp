// `ringside run` measures what it says, in nccl-tests' table and in JSON, and ends in 1 where
// anything is wrong.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/file.hpp"
#include "core/formats/trace_json.hpp"
#include "tests/viz/command.hpp"
#include "viz/terminal/run_flags.hpp"

namespace ringside::terminal {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

Json json_of(const std::string& words) {
  const auto ran = run("run " + words + " --json");
  EXPECT_EQ(ran.status, 0) << words << ran.err;
  const auto json = Json::parse(ran.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << words << ran.out.substr(0, 200);
  return json;
}

class RunOn : public testing::TestWithParam<const char*> {
 protected:
  std::string on(const std::string& words) const {
    return "--backend " + std::string(GetParam()) + " --ranks 3 -n 3 " + words;
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, RunOn, testing::Values("reference", "host"),
                         [](const auto& param) { return std::string(param.param); });

TEST_P(RunOn, EveryCollectiveIsRightInBothPlacements) {
  for (std::size_t k = 0; k < collective_count; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    const std::string collective(name(kind));
    const auto json =
        json_of(on("-b 1000 -e 1000 --algorithm all -c 3 --collective " + collective));
    EXPECT_EQ(json["command"], "run");
    std::set<bool> placements;
    for (const Json& row : json["results"]) {
      EXPECT_EQ(row["collective"], collective);
      EXPECT_EQ(row["wrong"], 0) << row;
      EXPECT_EQ(row["iterations"], 3);
      EXPECT_FALSE(row.contains("violation")) << row;
      EXPECT_THAT(row["backend"].get<std::string>(), testing::StartsWith(GetParam()));
      EXPECT_LE(row["min_us"], row["time_us"]);
      EXPECT_LE(row["time_us"], row["p99_us"]);
      EXPECT_LE(row["p99_us"], row["max_us"]);
      EXPECT_GE(row["cv"], 0);
      EXPECT_FALSE(row.contains("predicted_us"));
      placements.insert(row["in_place"].get<bool>());
    }
    EXPECT_EQ(placements.size(), may_be_in_place(kind) ? 2u : 1u) << collective;
  }
}

TEST_P(RunOn, ATableHasALineASizeAndAFooter) {
  const auto ran = run("run " + on("-b 1K -e 4K -f 2"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  std::vector<std::string> sizes;
  for (const auto& line : lines(ran.out))
    if (line[0] != '#') sizes.push_back(split(line).front());
  EXPECT_THAT(sizes, testing::ElementsAre("1024", "2048", "4096"));
  EXPECT_THAT(ran.out, HasSubstr("# Collective test starting: all_reduce\n"));
  EXPECT_THAT(ran.out, HasSubstr("# Out of bounds values : 0 OK\n# Avg bus bandwidth    : "));
  EXPECT_THAT(ran.out, HasSubstr("# Collective test concluded: all_reduce\n"));
}

TEST_P(RunOn, SizesGrowByAFactorOrByASum) {
  std::vector<int> sizes;
  const auto json = json_of(on("-b 100 -e 300 -i 100 --out-of-place"));
  for (const Json& row : json["results"]) sizes.push_back(row["bytes"]);
  EXPECT_THAT(sizes, testing::ElementsAre(100, 200, 300));
}

TEST_P(RunOn, AllTypesAndAllOps) {
  std::set<std::string> seen;
  const auto json = json_of(on("-b 96 -e 96 -d all -o all --in-place"));
  for (const Json& row : json["results"]) {
    EXPECT_EQ(row["wrong"], 0) << row;
    EXPECT_EQ(row["in_place"], true);
    seen.insert(row["type"].get<std::string>() + " " + row["redop"].get<std::string>());
  }
  EXPECT_EQ(seen.size(), element_type_count * reduce_op_count);
}

TEST_P(RunOn, WithoutACheckNothingIsSaidToBeRight) {
  const auto words = on("-b 64 -e 64 -c 0");
  EXPECT_FALSE(json_of(words)["results"][0].contains("wrong"));
  const auto ran = run("run " + words);
  EXPECT_THAT(ran.out, HasSubstr("# Out of bounds values : N/A\n"));
}

TEST_P(RunOn, LaysTheSimulationBeside) {
  const auto words = on("-b 3M -e 3M --predict star");
  const auto json = json_of(words);
  for (const Json& row : json["results"]) {
    const double predicted = row["predicted_us"], time = row["time_us"];
    EXPECT_NEAR(row["error"].get<double>(), predicted / time - 1, 1e-6);
    const auto simulated = Json::parse(
        run("simulate --system star --ranks 3 --algorithm ring -b 3M -e 3M --json").out);
    EXPECT_EQ(simulated["results"][0]["time_us"], predicted);
  }
  EXPECT_THAT(run("run " + words).out, HasSubstr("simulated out"));
}

TEST_P(RunOn, SlowerThanAskedForIsAFailure) {
  const auto slow = run("run " + on("-b 1K -e 1K --min-busbw 1000TB/s"));
  EXPECT_EQ(slow.status, 1);
  EXPECT_THAT(slow.out, HasSubstr("at least 1e+06 asked for: FAILED"));
  const auto fast = run("run " + on("-b 1K -e 1K --min-busbw 0"));
  EXPECT_EQ(fast.status, 0);
  EXPECT_THAT(fast.out, HasSubstr("asked for: OK"));
}

TEST(Run, WhatTheSystemCannotDoGoesWithoutAPrediction) {
  const auto json =
      json_of("--ranks 4 -n 1 -b 1K -e 1K --algorithm all --predict mesh --out-of-place");
  std::size_t with = 0, without = 0;
  for (const Json& row : json["results"]) ++(row.contains("predicted_us") ? with : without);
  EXPECT_GT(with, 5u);
  EXPECT_EQ(without, 2u);
  EXPECT_THAT(json["notes"][0].get<std::string>(), HasSubstr("nvls not simulated: "));
  EXPECT_THAT(json["notes"][1].get<std::string>(), HasSubstr("sharp not simulated: "));
  EXPECT_EQ(run("run --ranks 4 --algorithm nvls --predict mesh").status, 2);
}

TEST(Run, ATraceIsOfTheExecutorThatKeepsOneAndPlaysAgain) {
  const auto file = testing::TempDir() + "ringside_run_trace_" + std::to_string(getpid());
  const auto ran = run("run --ranks 4 -b 64K -e 256K -n 2 --trace " + file);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("# trace of ring, 256 KiB, out of place, on host/ranks, in "));
  const auto text = read_file(file);
  std::remove(file.c_str());
  ASSERT_TRUE(text);
  const auto recorded = trace_from_json(*text, file);
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_TRUE(recorded->is_measured);
  EXPECT_EQ(recorded->row.backend, "host/ranks");
  EXPECT_EQ(recorded->row.size, 256_KiB);
  EXPECT_EQ(recorded->share, "ring?system=mesh&ranks=4&bytes=262144");
  ASSERT_EQ(recorded->spans.size(), 24u);
  Duration last{0};
  for (const Span& span : recorded->spans) last = std::max(last, span.commit);
  EXPECT_EQ(recorded->row.time, last);
  EXPECT_GT(last, Duration{0});
}

TEST(Run, ABackendThatKeepsNoTraceSaysSoFirst) {
  const auto ran = run("run --backend reference --trace t.json");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("backend reference keeps no trace"));
}

TEST(Run, TooLittleMemoryIsSaidBeforeAnythingIsAllocated) {
  const auto ran = run("run --ranks 8 -b 1T -e 1T");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, testing::MatchesRegex(
                           "ringside: a count of 274877906944 float on 8 ranks needs 16777216 MiB "
                           "of memory, but this machine has [0-9]+ MiB available\n"));
}

TEST(Run, WithoutALargestSizeItIsWhatFits) {
  const auto up_to = [](std::uint64_t most) {
    return [most](Bytes size) -> Result<void> {
      if (size.count <= most) return {};
      return machine_lacks("memory");
    };
  };
  EXPECT_EQ(*largest_that_fits(1_GiB, 8_B, up_to(UINT64_MAX)), 1_GiB);
  EXPECT_EQ(*largest_that_fits(1_GiB, 8_B, up_to((300_MiB).count)), 256_MiB);
  EXPECT_EQ(*largest_that_fits(1_GiB, 300_MiB, up_to((300_MiB).count)), 300_MiB);
  EXPECT_EQ(largest_that_fits(1_GiB, 8_B, up_to(7)).error().message, "memory");
  int tries = 0;
  const auto nonsense = largest_that_fits(1_GiB, 8_B, [&](Bytes) -> Result<void> {
    ++tries;
    return bad_request("no");
  });
  EXPECT_EQ(nonsense.error().message, "no");
  EXPECT_EQ(tries, 1) << "less memory would not make it sensible";
}

TEST(Run, EveryRootInTurn) {
  const auto json = json_of("--ranks 3 -b 1K -e 2K -n 1 --collective broadcast -r all");
  std::multiset<int> roots;
  for (const Json& row : json["results"]) {
    EXPECT_EQ(row["wrong"], 0) << row;
    roots.insert(row["root"].get<int>());
  }
  EXPECT_EQ(roots.size(), 12u) << "three roots, two sizes, two placements";
  for (int root = 0; root < 3; ++root) EXPECT_EQ(roots.count(root), 4u) << root;
  EXPECT_EQ(json_of("--ranks 3 -b 1K -e 1K -n 1 -r all")["results"].size(), 2u)
      << "an all-reduce has none";
  EXPECT_EQ(json_of("--ranks 3 -b 1K -e 1K -n 1 --collective reduce -r 2")["results"][0]["root"],
            2);
  for (const std::string root : {"every", "-1", "1x", "99999999999"}) {
    const auto ran = run("run --ranks 3 -b 1K -e 1K --collective reduce -r " + root);
    EXPECT_EQ(ran.status, 2) << root;
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Run, WhatFollowsNoScheduleNamesNoAlgorithm) {
  const std::string words = "--ranks 3 -b 1K -e 1K -n 1 --executor ";
  const Json direct = json_of(words + "direct")["results"][0];
  EXPECT_EQ(direct["backend"], "host/direct");
  EXPECT_EQ(direct["algorithm"], "none");
  EXPECT_FALSE(direct.contains("options")) << direct;
  EXPECT_EQ(json_of(words + "sliced")["results"][0]["algorithm"], "ring");
  const auto named = run("run " + words + "direct --algorithm ring");
  EXPECT_EQ(named.status, 2);
  EXPECT_THAT(named.err, HasSubstr("leave --algorithm away"));
  EXPECT_THAT(run("run " + words + "direct --predict mesh").err, HasSubstr("follows no schedule"));
}

TEST(Run, SpreadIsShownOnRequest) {
  const std::string words = "run --ranks 2 -b 1K -e 1K -n 3";
  EXPECT_THAT(run(words).out, Not(HasSubstr(" p99 ")));
  EXPECT_THAT(run(words + " -I").out, HasSubstr(" p99 "));
}

}  // namespace
}  // namespace ringside::terminal
