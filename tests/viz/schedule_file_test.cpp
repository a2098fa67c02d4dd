// Schedules from files, as the command line takes them.

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

class ScheduleFiles : public testing::Test {
 protected:
  ScheduleFiles() { std::filesystem::create_directories(here_); }
  ~ScheduleFiles() override { std::filesystem::remove_all(here_); }

  /// Writes an algorithm into a file; says its path.
  std::string exported(const std::string& flags, const std::string& name) {
    const auto path = (here_ / name).string();
    const auto ran = run("schedule export " + flags + " --out " + path);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return path;
  }

 private:
  std::filesystem::path here_ =
      std::filesystem::path(testing::TempDir()) / ("ringside_files_" + std::to_string(getpid()));
};

Json results(const Ran& ran) {
  EXPECT_EQ(ran.status, 0) << ran.err;
  return ran.status == 0 ? Json::parse(ran.out).at("results") : Json::array();
}

TEST_F(ScheduleFiles, RunOnTheHostAsTheyAre) {
  for (const std::string flags :
       {"--ranks 5 --format msccl", "--ranks 5",
        "--collective gather --algorithm flat --ranks 3 --root 2 --format msccl",
        "--collective all_gather --ranks 4 --in-place --format msccl"}) {
    const auto path = exported(flags, "a.xml");
    const auto rows = results(run("run --schedule " + path + " -e 1K -n 1 --json"));
    ASSERT_FALSE(rows.empty()) << flags;
    for (const auto& row : rows) {
      EXPECT_EQ(row.at("wrong"), 0) << flags;
      EXPECT_EQ(row.at("in_place"), flags.find("in-place") != std::string::npos);
    }
  }
}

TEST_F(ScheduleFiles, RefuseSizesThatDoNotDivide) {
  const auto path = exported("--ranks 6 --format msccl", "ring6.xml");
  for (const std::string command : {"run", "simulate"}) {
    const auto ran = run(command + " --schedule " + path + " -b 1000 -e 1000");
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.err, HasSubstr("cuts the vector into 6 equal chunks (nchunksperloop): 250 "
                                   "float elements do not divide; take multiples of 24 B"));
  }
  EXPECT_EQ(results(run("run --schedule " + path + " -e 24 -n 1 --json")).at(0).at("bytes"), 24);
}

TEST_F(ScheduleFiles, SimulateAsTheAlgorithmTheyCameFrom) {
  const auto path = exported("--ranks 8 --format msccl", "ring8.xml");
  const auto flags = std::string(" --system mesh -b 1M -e 1M --json");
  const auto file = results(run("simulate --schedule " + path + flags)),
             own = results(run("simulate --algorithm ring --ranks 8" + flags));
  EXPECT_EQ(file.at(0).at("time_us"), own.at(0).at("time_us"));
  EXPECT_EQ(file.at(0).at("protocol"), "none");
  EXPECT_EQ(file.at(0).at("ranks"), 8);
}

TEST_F(ScheduleFiles, TakeTheTimeOfThreadBlocksOnMachines) {
  const auto path = exported("--ranks 8 --format msccl --protocol LL", "ring8.xml");
  const auto times = [&](const std::string& flags) {
    return results(
               run("simulate --system mi300x --schedule " + path + " -b 1M -e 1M --json" + flags))
        .at(0);
  };
  const auto ll = times(""), simple = times(" --protocol Simple"), none = times(" --protocol none");
  EXPECT_EQ(ll.at("protocol"), "LL");
  EXPECT_EQ(simple.at("protocol"), "Simple");
  EXPECT_LT(simple.at("time_us"), ll.at("time_us"));  // one channel of LL is slow
  EXPECT_LT(none.at("time_us"), simple.at("time_us"));
  EXPECT_FALSE(ll.contains("busiest_link"));
}

TEST_F(ScheduleFiles, AreShownStepByStep) {
  const auto path = exported("--algorithm halving_doubling --ranks 4 --format msccl", "hd.xml");
  const auto file = Json::parse(run("step --json --schedule " + path + " --system mesh").out),
             own = Json::parse(
                 run("step --json --algorithm halving_doubling --ranks 4 --system mesh").out);
  EXPECT_EQ(file.at("algorithm"), "all_reduce halving_doubling");
  EXPECT_EQ(file.at("results").size(), own.at("results").size());
  EXPECT_EQ(file.at("time_us"), own.at("time_us"));
}

TEST_F(ScheduleFiles, RefuseWhatIsNotTheirs) {
  const auto path = exported("--ranks 4 --in-place --format msccl", "ring4.xml");
  const auto says = [&](const std::string& command) {
    const auto ran = run(command + " --schedule " + path);
    EXPECT_EQ(ran.status, 2) << command << ran.out;
    return ran.err;
  };
  EXPECT_THAT(says("run --ranks 3 -e 16"),
              HasSubstr("ring4.xml is a schedule for 4 ranks, not 3: take --ranks 4"));
  EXPECT_THAT(says("run --out-of-place -e 16"), HasSubstr("ring4.xml is a schedule in place"));
  EXPECT_THAT(says("simulate --algorithm ring"), HasSubstr("--algorithm excludes --schedule"));
  EXPECT_THAT(says("simulate --chunks 8"), HasSubstr("excludes"));
  EXPECT_EQ(run("run --schedule /no/such.xml").status, 2);
}

}  // namespace
}  // namespace ringside::terminal
