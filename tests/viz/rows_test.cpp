// What programs read: the schema of --json and --csv, and what the numbers in it must obey.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/collective.hpp"
#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

Json json_of(const std::string& words) {
  const auto ran = run(words + " --json");
  EXPECT_EQ(ran.status, 0) << words << ran.err;
  const auto json = Json::parse(ran.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << words << ": not one JSON object:\n" << ran.out.substr(0, 200);
  return json;
}

const std::set<std::string> known_fields = {"collective",
                                            "algorithm",
                                            "options",
                                            "protocol",
                                            "backend",
                                            "system",
                                            "conditions",
                                            "ranks",
                                            "bytes",
                                            "count",
                                            "type",
                                            "redop",
                                            "root",
                                            "in_place",
                                            "time_us",
                                            "algbw_GBps",
                                            "busbw_GBps",
                                            "busiest_link",
                                            "fastest",
                                            "busiest_link_share",
                                            "busiest_link_ties",
                                            "wrong",
                                            "pass",
                                            "violation"};

TEST(Schema, RowsOfEveryCollectiveHaveTheirFieldsAndNoOthers) {
  for (std::size_t k = 0; k < collective_count; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    const std::string collective(name(kind));
    const auto json = json_of(
        "simulate --system mesh --ranks 4 -b 64K -e 64K --algorithm all "
        "--collective " +
        collective);
    EXPECT_EQ(json["ringside"], 1);
    EXPECT_EQ(json["command"], "simulate");
    ASSERT_FALSE(json["results"].empty()) << collective;
    for (const Json& row : json["results"]) {
      for (const auto& [field, value] : row.items())
        EXPECT_TRUE(known_fields.count(field)) << collective << " has " << field;
      for (const char* always :
           {"collective", "algorithm", "options", "protocol", "backend", "system", "conditions",
            "ranks", "bytes", "count", "in_place", "time_us"})
        EXPECT_TRUE(row.contains(always)) << collective << " lacks " << always;
      EXPECT_EQ(row["collective"], collective);
      EXPECT_EQ(row.contains("root"), has_root(kind)) << collective;
      EXPECT_EQ(row.contains("redop"), reduces(kind)) << collective;
      EXPECT_EQ(row["bytes"] == 0, kind == CollectiveKind::barrier) << collective;
      for (const char* never : {"wrong", "pass", "violation"})
        EXPECT_FALSE(row.contains(never)) << "nothing was checked";
      if (!row.contains("algbw_GBps")) continue;
      const double rate = row["bytes"].get<double>() / row["time_us"].get<double>() * 1e-3;
      EXPECT_NEAR(row["algbw_GBps"].get<double>(), rate, 1e-9 * (1 + rate));
      EXPECT_NEAR(row["busbw_GBps"].get<double>(), rate * busbw_factor(kind, 4), 1e-9 * (1 + rate));
    }
  }
}

/// A command line from nothing but a JSON row.
std::vector<std::string> again(const Json& row) {
  std::vector<std::string> words{"simulate"};
  const auto add = [&](const std::string& flag, const Json& value) {
    words.push_back("--" + flag);
    if (!value.is_boolean())
      words.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  };
  for (const char* field :
       {"collective", "algorithm", "protocol", "system", "nodes", "net", "ranks", "type", "root"})
    if (row.contains(field)) add(field, row[field]);
  if (row.contains("redop")) add("op", row["redop"]);
  if (row["in_place"]) words.push_back("--in-place");
  for (const char* bound : {"minbytes", "maxbytes"}) add(bound, row["bytes"]);
  for (const auto& [field, value] : row["conditions"].items()) {
    auto flag = field;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (!value.is_array())
      add(flag, value);
    else
      for (const Json& one : value) add(flag, one);
  }
  for (const auto& [flag, field] :
       {std::pair{"chunks", "chunks"}, {"ranks-per-node", "ranks_per_node"}})
    if (row["options"].contains(field)) add(flag, row["options"][field]);
  words.push_back("--json");
  return words;
}

TEST(Schema, ARowIsEnoughToRunItAgain) {
  for (const char* words :
       {"--system mesh --ranks 6 --bandwidth 12GB/s --slow gpu0->gpu1=3x --straggler 2=5us",
        "--system torus --dims 2x3 --latency 3us --model stream --jitter 5%:7",
        "--system dgx-h100 --nodes 3 --net hdr --ranks 20 --set nvlink.bandwidth=x0.5 "
        "--set ib.latency=3us --collective reduce -r 4 -o max -d half",
        "--system dgx-a100 --nodes 2 --algorithm hierarchical --ranks-per-node 4 --in-place",
        "--system dgx1-v100 --dead gpu0->gpu1 --rank-order 0,1,2,3,7,6,5,4 --algorithm ring",
        "--system rtx4090-pcie --nodes 2 --net roce400 --collective all_to_all",
        "--system four_gpus.topo_m --nvlink 3 --no-p2p"}) {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(RINGSIDE_SOURCE_DIR "/tests/golden");
    const auto json = json_of("simulate -b 3M -e 3M " + std::string(words));
    ASSERT_EQ(json["results"].size(), 1u);
    const auto& row = json["results"][0];
    const auto ran = run(again(row));
    std::filesystem::current_path(before);
    ASSERT_EQ(ran.status, 0) << words << ran.err;
    EXPECT_EQ(Json::parse(ran.out)["results"][0], row) << words;
  }
}

TEST(Schema, TopoSaysWhatWasChangedOfTheMachine) {
  const auto json = json_of("topo dgx-a100 --set nvlink.bandwidth=x0.5");
  EXPECT_EQ(json["results"][0]["conditions"], (Json{{"set", {"nvlink.bandwidth=x0.5"}}}));
  EXPECT_FALSE(json_of("topo dgx-a100")["results"][0].contains("conditions"));
}

TEST(Schema, RowsNameTheMachine) {
  const auto row = [](const std::string& words) {
    return json_of("simulate -b 1M -e 1M --algorithm ring " + words)["results"][0];
  };
  const auto ring = row("");
  EXPECT_EQ(ring["system"], "ring");
  EXPECT_FALSE(ring.contains("nodes") || ring.contains("net")) << "a shape has none";
  EXPECT_EQ(ring["conditions"]["model"], "flow");
  EXPECT_EQ(ring["conditions"]["rank_order"], "identity");
  EXPECT_EQ(ring["conditions"]["bandwidth"], "25GB/s");
  EXPECT_EQ(ring["conditions"]["latency"], "1us");
  const auto one = row("--system dgx-h100");
  EXPECT_EQ(one["nodes"], 1);
  EXPECT_FALSE(one.contains("net")) << "nothing is joined";
  EXPECT_FALSE(one["conditions"].contains("set"));
  EXPECT_EQ(one["conditions"]["rank_order"], "auto");
  EXPECT_EQ(row("--system dgx-h100 --nodes 2")["net"], "ndr") << "its own";
  EXPECT_FALSE(row("--system gb200-nvl72 --nodes 2").contains("net")) << "one NVLink domain";
  EXPECT_TRUE(row("--system gb200-nvl72 --nodes 20").contains("net"));
  const auto step = json_of("step --ranks 3");
  for (const char* field : {"system", "bytes", "count", "type", "redop", "options", "conditions"})
    EXPECT_TRUE(step.contains(field)) << field;
}

TEST(Schema, ProofsHaveAVerdictAndNoTime) {
  const auto json = json_of("verify --ranks 1-4");
  EXPECT_EQ(json["command"], "verify");
  EXPECT_GT(json["results"].size(), 500u);
  for (const Json& row : json["results"]) {
    EXPECT_EQ(row["pass"], true) << row;
    EXPECT_EQ(row["backend"], "proof");
    for (const char* never : {"time_us", "algbw_GBps", "bytes", "violation"})
      EXPECT_FALSE(row.contains(never)) << row;
  }
}

TEST(Schema, EveryCommandThatListsOrRunsWritesOneObject) {
  for (const char* words :
       {"demo", "list systems", "list algorithms", "list collectives", "list backends",
        "list models", "list gpus", "scale --model gpt2-xl --gpus 1,2", "topo ring",
        "topo dgx-h100", "step --ranks 3", "simulate -b 8 -e 8", "verify --ranks 2"}) {
    const auto json = json_of(words);
    EXPECT_EQ(json["ringside"], 1) << words;
    EXPECT_EQ(json["command"], split(words).front()) << words;
  }
}

TEST(Schema, TopologiesHaveDevicesLinksAndAssumptions) {
  for (const char* words : {"topo dgx-h100", "topo star --ranks 5", "topo dgx-a100 --nodes 2"}) {
    const auto json = json_of(words);
    const Json& topology = json.contains("devices") ? json : json["results"][0];
    ASSERT_TRUE(topology["devices"].is_array()) << words;
    ASSERT_TRUE(topology["links"].is_array()) << words;
    ASSERT_TRUE(topology["assumed"].is_array()) << words;
    EXPECT_FALSE(topology["devices"].empty() || topology["links"].empty()) << words;
  }
}

TEST(Schema, CsvHasOneRecordARow) {
  const auto words = "simulate --system ring --ranks 5 --algorithm all -b 1K -e 1M -f 32";
  const auto csv = lines(run(std::string(words) + " --csv").out);
  EXPECT_EQ(csv.size(), 1 + json_of(words)["results"].size());
  EXPECT_THAT(csv[0], testing::StartsWith(
                          "collective,algorithm,protocol,backend,ranks,bytes,count,type,redop,root,"
                          "in_place,time_us,algbw_GBps,busbw_GBps,busiest_link"));
}

TEST(Output, GoesWhereToldAndNowhereElse) {
  const auto file = testing::TempDir() + "ringside_out_" + std::to_string(getpid());
  for (const std::string words : {"demo --json", "topo ring", "simulate -b 8 -e 64 --csv"}) {
    const auto shown = run(words);
    const auto ran = run(words + " --out " + file);
    EXPECT_EQ(ran.out, "") << words;
    std::FILE* written = std::fopen(file.c_str(), "rb");
    ASSERT_NE(written, nullptr) << words;
    EXPECT_EQ(whole(written), shown.out) << words;
  }
  std::remove(file.c_str());
}

TEST(Output, IsTheSameEveryTime) {
  for (const char* words : {"simulate --system dgx-a100 --algorithm all -b 1M -e 1M --json",
                            "simulate --jitter 5%:3 --algorithm all -b 1M -e 1M",
                            "verify --ranks 1-5 --csv", "topo dgx1-v100 --json"})
    EXPECT_EQ(run(words).out, run(words).out) << words;
}

/// Who wins at which size, as the program says it.
std::map<std::uint64_t, std::string> winners(const std::string& more) {
  const auto json = json_of(
      "simulate --system dgx-h100 --nodes 4 --net ndr --algorithm all "
      "-b 1K -e 256M -f 8 " +
      more);
  std::map<std::uint64_t, std::pair<double, std::string>> best;
  std::map<std::uint64_t, std::string> named;
  for (const Json& row : json["results"]) {
    const auto size = row["bytes"].get<std::uint64_t>();
    const auto time = row["time_us"].get<double>();
    const auto algorithm = row["algorithm"].get<std::string>();
    if (const auto at = best.find(size); at == best.end() || time < at->second.first)
      best[size] = {time, algorithm};
    if (!row.contains("fastest")) continue;
    EXPECT_TRUE(named.emplace(size, algorithm).second) << "one size, two fastest: " << size;
  }
  EXPECT_EQ(named.size(), best.size()) << "every size names its fastest";
  for (const auto& [size, won] : best) EXPECT_EQ(named[size], won.second) << size;
  return named;
}

TEST(Crossovers, AreNamedAndMoveWithTheLinks) {
  const auto as_built = winners("");
  EXPECT_NE(as_built.begin()->second, as_built.rbegin()->second)
      << "what is best for 1 KiB is not best for 256 MiB";
  EXPECT_NE(winners("--set ib.bandwidth=x0.1"), as_built) << "a slower network changes who wins";
  EXPECT_NE(winners("--set nvlink.bandwidth=x0.1"), as_built) << "a slower NVLink changes who wins";
}

TEST(Crossovers, AreASentenceBelowTheTable) {
  const auto ran = run("simulate --system dgx-a100 --algorithm all -b 1K -e 256M -f 64");
  EXPECT_THAT(ran.out, HasSubstr("\n# fastest: "));
}

TEST(Notes, OneReasonIsOneLine) {
  const auto ran = run("simulate --system ring --algorithm all -b 1M -e 1M");
  EXPECT_THAT(ran.out, HasSubstr("\n# nvls, sharp not run: reducing in the switch needs one"));
  EXPECT_EQ(ran.out.find("not run"), ran.out.rfind("not run"));
  EXPECT_THAT(run("simulate --system dgx-h100 --algorithm all -b 1M -e 1M").out,
              HasSubstr("\n# sharp not run: sharp needs a switch with SHARP"))
      << "there NVLS runs";
}

TEST(Notes, AFlagThatOneAlgorithmTakesIsMissedInTheOthers) {
  const auto ran = run("simulate --system mesh --ranks 8 --algorithm all --dims 2x4 -b 1M -e 1M");
  EXPECT_THAT(ran.out, HasSubstr("ring, star took no --dims\n"));
  EXPECT_EQ(run("simulate --system mesh --algorithm torus --dims 2x4 -b 1M -e 1M").status, 0);
  for (const char* shape : {"--system torus --dims 2x4", "--system fattree --dims 4"}) {
    const auto shaped = run("simulate -b 1M -e 1M --algorithm all " + std::string(shape));
    EXPECT_EQ(shaped.status, 0) << shaped.err;
    EXPECT_EQ(shaped.out.find("--dims"), std::string::npos) << "the machine took them";
  }
}

/// Real machines' files beside the checkout; they are not part of the project.
std::vector<std::string> real_files(const char* folder) {
  namespace fs = std::filesystem;
  const char* told = std::getenv("RINGSIDE_SHARED_DATA");
  const fs::path data = told ? fs::path(told) : fs::path(RINGSIDE_SOURCE_DIR) / "../shared/data";
  std::vector<std::string> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(data / folder, none))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(RealMachines, AreShownAndSimulated) {
  auto files = real_files("topo_m");
  for (const auto& file : real_files("nccl_topo_xml")) files.push_back(file);
  if (files.empty())
    GTEST_SKIP() << "no ../shared/data and no RINGSIDE_SHARED_DATA: nothing to read";
  for (const auto& file : files) {
    const bool no_topology = file.find("NEG") != std::string::npos;
    const auto shown = run(std::vector<std::string>{"topo", file});
    EXPECT_EQ(shown.status, no_topology ? 2 : 0) << file << shown.err;
    auto words =
        split("simulate --collective all_reduce --algorithm all -b 1M -e 1G -f 4 --system");
    words.push_back(file);
    const auto ran = run(words);
    EXPECT_EQ(ran.status, no_topology ? 2 : 0) << file << ran.err;
    const auto& said = no_topology ? ran.err : ran.out;
    EXPECT_THAT(said, HasSubstr(no_topology ? "ringside: " : "\n# fastest: ")) << file;
  }
}

}  // namespace
}  // namespace ringside::terminal
