// `ringside run` measures what it says, in nccl-tests' table and in JSON, and ends in 1 where
// anything is wrong.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/file.hpp"
#include "core/formats/trace_json.hpp"
#include "tests/viz/command.hpp"
#include "viz/terminal/run_flags.hpp"
#include "viz/terminal/yardstick.hpp"

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

/// A command line from nothing but a JSON row.
std::string again(const Json& row) {
  const auto text = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  const std::string on = row["backend"];
  std::string words = "--backend " + on.substr(0, on.find('/'));
  if (on.find('/') != std::string::npos) words += " --executor " + on.substr(on.find('/') + 1);
  words += row["in_place"] ? " --in-place" : " --out-of-place";
  for (const char* field : {"collective", "algorithm", "ranks", "type", "root"})
    if (row.contains(field)) words += " --" + std::string(field) + " " + text(row[field]);
  if (row.contains("redop")) words += " --op " + text(row["redop"]);
  for (const char* bound : {"minbytes", "maxbytes"})
    words += " --" + std::string(bound) + " " + text(row["bytes"]);
  for (const auto& [flag, value] : row["conditions"].items())
    words += " --" + flag + " " + text(value);
  return words;
}

TEST(Run, ARowIsEnoughToMeasureItAgain) {
  for (const char* words :
       {"--ranks 3 -b 1K -e 1K -n 3 -w 2 -c 0 -u 5 --out-of-place",
        "--backend reference --ranks 2 -b 3K -e 3K -n 1 --collective reduce -r 1 -o max -d half "
        "--in-place --predict mesh"}) {
    const Json row = json_of(words)["results"][0];
    EXPECT_FALSE(row["host"].get<std::string>().empty());
    const Json second = json_of(again(row))["results"][0];
    for (const char* field :
         {"collective", "algorithm", "options", "backend", "conditions", "host", "ranks", "bytes",
          "type", "redop", "root", "in_place", "iterations", "predicted_us"})
      EXPECT_EQ(row.value(field, Json()), second.value(field, Json())) << field << words;
  }
  EXPECT_EQ(json_of("--ranks 2 -b 8 -e 8 -n 1 --predict star")["results"][0]["conditions"],
            (Json{{"iters", "1"}, {"warmup", "1"}, {"check", "1"}, {"predict", "star"}}));
}

TEST(Run, AnAverageIsOfOurRowsAndSaysOfHowMany) {
  const auto row = [](const char* algorithm, const char* backend, Duration time) {
    return Row{.algorithm = algorithm,
               .backend = backend,
               .ranks = 2,
               .size = Bytes{1'000'000},
               .time = time};
  };
  const Row ours = row("ring", "cuda/streams", 20_us), theirs = row("native", "nccl/native", 10_us);
  const auto closed = gate({ours, theirs}, 60);
  EXPECT_FALSE(closed.is_open) << "NCCL's 100 GB/s are not ours";
  EXPECT_EQ(closed.sentence,
            "average bus bandwidth of 1 row: 50 GB/s, without those of nccl/native; at least 60 "
            "asked for: FAILED");
  EXPECT_TRUE(gate({ours, theirs}, 49.9).is_open);
  EXPECT_THAT(gate({ours, theirs}, std::nullopt).sentence, HasSubstr("without those of nccl"));
  EXPECT_EQ(gate({ours}, std::nullopt).sentence, "");
  const auto alone = gate({row("none", "nccl/native", 10_us)}, 60);
  EXPECT_TRUE(alone.is_open) << "who asks for NCCL alone asks for its figures";
  EXPECT_THAT(comparisons({ours, theirs}),
              testing::ElementsAre(HasSubstr("out of place: 2.00 times as long as nccl/native")));
  const Row quick = row("ring", "cuda/streams", {});
  EXPECT_THAT(
      comparisons({quick, theirs}),
      testing::ElementsAre(HasSubstr("not comparable with nccl/native: the time of cuda/streams "
                                     "is less than its clock can tell")));
  const auto untold = gate({quick}, 60);
  EXPECT_FALSE(untold.is_open);
  EXPECT_EQ(
      untold.sentence,
      "no row has a bus bandwidth: nothing moved, or in no time a clock can tell; at least 60 "
      "asked for: FAILED");
}

TEST(Run, WhatCannotBeWrittenIsSaidBeforeAnythingIsMeasured) {
  for (const std::string flag : {"--out", "--trace"}) {
    const auto ran = run("run --ranks 2 -b 1K -e 1K -n 1000000 " + flag + " /no/such/folder/file");
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(flag + ": cannot write /no/such/folder/file: "));
  }
  for (const std::string words : {"verify", "simulate", "calibrate --samples 1000"}) {
    const auto ran = run(words + " --out /no/such/folder/file");
    EXPECT_EQ(ran.status, 2) << words;
    EXPECT_THAT(ran.err, HasSubstr("--out: cannot write /no/such/folder/file: "));
  }
  EXPECT_THAT(run("run --ranks 2 -b 8 -e 8 --trace a --out ./a").err,
              HasSubstr("--trace and --out name one file, a: "));
}

TEST(Run, WhoHasNoCollectiveOfItsOwnIsNoYardstick) {
  const std::string words = "run --ranks 2 -b 8 -e 8 -n 1 ";
  EXPECT_EQ(run(words + "--native").err,
            "ringside: --native: backend host is no library with a collective of its own to "
            "measure; nccl and mpi are\n");
  for (const char* backend : {"host", "reference"})
    EXPECT_THAT(run(words + "--compare " + backend).err,
                HasSubstr("--compare: backend " + std::string(backend) + " is no library"));
}

TEST(Run, AWaitThatNothingCouldBeHeldToIsRefused) {
  for (const std::string command : {"run -b 8 -e 8", "calibrate", "verify --backend host"})
    for (const std::string timeout : {"0", "1ns", "-1s", "soon"}) {
      const auto ran = run(command + " --ranks 2 --timeout " + timeout);
      EXPECT_EQ(ran.status, 2) << command << timeout;
      EXPECT_EQ(ran.out, "");
      EXPECT_THAT(ran.err, HasSubstr("--timeout"));
    }
}

TEST(Run, ARunThatIsFasterThanTheLinksSaysSo) {
  const auto slow = testing::TempDir() + "ringside_slow_" + std::to_string(getpid()) + ".toml";
  ASSERT_EQ(run("topo mesh --ranks 2 --bandwidth 1KB/s --toml --out " + slow).status, 0);
  const auto json = json_of("--ranks 2 -b 64K -e 64K -n 5 --out-of-place --predict " + slow);
  std::remove(slow.c_str());
  EXPECT_GT(json["results"][0]["busiest_link_share"].get<double>(), 1);
  EXPECT_THAT(json["notes"].dump(), HasSubstr("faster than the links of "));
}

TEST(Run, SpreadIsShownOnRequest) {
  const std::string words = "run --ranks 2 -b 1K -e 1K -n 3";
  EXPECT_THAT(run(words).out, Not(HasSubstr(" p99 ")));
  EXPECT_THAT(run(words + " -I").out, HasSubstr(" p99 "));
}

}  // namespace
}  // namespace ringside::terminal
