// The program as several processes with a rank each, brought together by MPI or by files; and what
// it says of NCCL.

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/file.hpp"
#include "core/formats/trace_json.hpp"
#include "tests/fake_cuda/program.hpp"

namespace fake {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

const std::string environment =
    "LD_BIND_NOW=1 LD_LIBRARY_PATH=" RINGSIDE_FAKE_LIBRARY " timeout -k 5 100 ";
const std::string small = "run --backend nccl -b 1K -e 1K -n 2 --timeout 5s";

/// A command line for each process, all at once; its worst status, and what they say in order. The
/// library leaves nothing where temporary files are.
Ran together(const std::vector<std::string>& commands) {
  const std::filesystem::path folder =
      testing::TempDir() + "ringside_together_" + std::to_string(getpid());
  std::filesystem::create_directories(folder / "tmp");
  std::string script;
  for (std::size_t r = 0; r < commands.size(); ++r)
    script += "(" + commands[r] + " >out." + std::to_string(r) + " 2>&1; echo $? >status." +
              std::to_string(r) + ") & ";
  script +=
      "wait; cat out.*; worst=0; for s in $(cat status.*); do [ $s -gt $worst ] && worst=$s; "
      "done; exit $worst";
  auto ran = shell("cd " + folder.string() + " && TMPDIR=$PWD/tmp sh -c '" + script + "'");
  EXPECT_TRUE(std::filesystem::is_empty(folder / "tmp"));
  std::filesystem::remove_all(folder);
  return ran;
}

/// As torchrun starts them, with a place to meet.
Ran by_files(int processes, const std::string& machine, const std::string& arguments,
             const std::string& rank_1 = "") {
  const auto file = testing::TempDir() + "ringside-id-" +
                    testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove(file);
  const auto command = [&](int rank) {
    return "RINGSIDE_FAKE_CUDA=" + machine + " RANK=" + std::to_string(rank) +
           " WORLD_SIZE=" + std::to_string(processes) + " " + (rank == 1 ? rank_1 : "") +
           environment + RINGSIDE_PROGRAM " " + arguments + " --id-file " + file;
  };
  std::vector<std::string> commands;
  for (int r = 0; r < processes; ++r) commands.push_back(command(r));
  auto ran = together(commands);
  EXPECT_FALSE(std::filesystem::exists(file)) << "left behind";
  return ran;
}

Ran by_mpirun(int processes, const std::string& machine, const std::string& arguments) {
  return shell("RINGSIDE_FAKE_CUDA=" + machine + " " + environment +
               "mpirun --allow-run-as-root --oversubscribe -n " + std::to_string(processes) + " " +
               RINGSIDE_PROGRAM " " + arguments);
}

TEST(NcclProcesses, MpiBringsThemTogether) {
#ifndef RINGSIDE_HAS_MPI
  GTEST_SKIP() << "this build has no MPI";
#endif
  const auto ran = by_mpirun(3, "devices=4", small + " --native");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("Rank  0 .* device  0 \\[0000:10:00\\] Fake GPU\n"
                                      "#  Rank  1 .* device  1 .*\n#  Rank  2 .* device  2 "));
  EXPECT_THAT(ran.text, ContainsRegex("0  ring +nccl/grouped\n"));
  EXPECT_THAT(ran.text, ContainsRegex("0  native +nccl/native\n"));
  EXPECT_THAT(ran.text, HasSubstr("# Out of bounds values : 0 OK\n"));
}

TEST(NcclProcesses, MpiTellsAllWhatOneLacks) {
#ifndef RINGSIDE_HAS_MPI
  GTEST_SKIP() << "this build has no MPI";
#endif
  const auto ran = by_mpirun(3, "devices=2", small);
  EXPECT_EQ(ran.status, 3) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("ringside: rank 2 is process 3 of .*, which shows it 2 GPUs: "
                                      "start one process a GPU\n"));
}

TEST(NcclProcesses, FilesBringThemTogether) {
  const auto ran = by_files(3, "devices=3", small + " --native");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("Rank  2 .* device  2 .*Fake GPU"));
  EXPECT_THAT(ran.text, HasSubstr("# Out of bounds values : 0 OK\n"));
  EXPECT_EQ(ran.text.find("# Collective test starting"), 0u);
  EXPECT_EQ(ran.text.rfind("# Collective test starting"), 0u) << "more than one wrote";
}

TEST(NcclProcesses, VerifyTogether) {
  const auto ran =
      by_files(2, "devices=2", "verify --backend nccl --collective broadcast --algorithm chain");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("all right"));
}

TEST(NcclProcesses, WhoeverSeesOneGpuMustHaveItAlone) {
  const auto ran = by_files(2, "devices=1", small);
  EXPECT_EQ(ran.status, 3) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("^ringside: ranks 0 and 1 would share GPU 0000:10:00.0 of "
                                      ".*: NCCL needs one for each\n$"));
}

TEST(NcclProcesses, AllMustDoTheSame) {
  const auto file = testing::TempDir() + "ringside-id-AllMustDoTheSame";
  std::filesystem::remove(file);
  const auto of = [&](const char* rank, const char* type) {
    return std::string("RINGSIDE_FAKE_CUDA=devices=2 WORLD_SIZE=2 RANK=") + rank + " " +
           environment + RINGSIDE_PROGRAM " " + small + " --id-file " + file + " -d " + type;
  };
  const auto ran = together({of("0", "float"), of("1", "int32")});
  EXPECT_EQ(ran.status, 2) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("ringside: all ranks must be asked for the same, but the type of "
                                  "rank 1 is int32 and that of rank 0 is float\n"));
}

TEST(NcclProcesses, AMessageThatIsLostEndsAll) {
  const auto ran = by_files(3, "devices=3", "run --backend nccl -b 1K -e 1K --timeout 1s",
                            "RINGSIDE_FAKE_NCCL=lose=2 ");
  EXPECT_EQ(ran.status, 1) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("ringside: rank [0-2] on CUDA device [0-2] did not finish to "
                                      "receive transfer .* within 1 s\n"));
}

/// Of all ranks, in one file of the first one's.
void expect_trace(const Ran& ran, const std::string& path, std::size_t spans) {
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("# trace of .*, 1 KiB, out of place, on nccl/"));
  const auto text = ringside::read_file(path);
  ASSERT_TRUE(text) << text.error().message;
  const auto recorded = ringside::trace_from_json(*text, "t");
  ASSERT_TRUE(recorded) << recorded.error().message;
  EXPECT_EQ(recorded->spans.size(), spans);
  for (const auto& span : recorded->spans) {
    EXPECT_GE(span.begin, ringside::Duration{});
    EXPECT_GE(span.commit, span.begin);
  }
  std::filesystem::remove(path);
}

TEST(NcclProcesses, ATraceHasTheSpansOfAll) {
  const auto path = testing::TempDir() + "nccl_together_" + std::to_string(getpid());
  // Ring: N * 2 (N - 1) transfers.
  expect_trace(by_files(3, "devices=3", small + " --algorithm ring --trace " + path), path, 12);
  expect_trace(by_files(3, "devices=3", small + " --executor native --trace " + path), path, 6);
#ifdef RINGSIDE_HAS_MPI
  expect_trace(by_mpirun(2, "devices=2", small + " --algorithm ring --trace " + path), path, 4);
#endif
}

TEST(NcclProcesses, AnOldFileIsNotTaken) {
  const auto file = testing::TempDir() + "ringside-id-old";
  std::ofstream(file) << "1234\n";
  const auto ran = shell("RINGSIDE_FAKE_CUDA=devices=2 RANK=0 WORLD_SIZE=2 " + environment +
                         RINGSIDE_PROGRAM " " + small + " --id-file " + file);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.text, HasSubstr("is there already"));
  std::filesystem::remove(file);
}

TEST(NcclProcesses, WithoutAWayToMeetTheyAreTold) {
  const auto ran =
      shell("RINGSIDE_FAKE_CUDA=devices=2 TORCHELASTIC_RUN_ID=none RANK=1 WORLD_SIZE=2 " +
            environment + RINGSIDE_PROGRAM " " + small);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.text, HasSubstr("there are 2 processes, but no MPI joins them: --id-file FILE"));
  EXPECT_EQ(ringside("devices=2", small + " --id-file x").status, 2);
  EXPECT_EQ(ringside("devices=2", "run --backend cuda --id-file x").status, 2);
}

/// One that never comes: --timeout holds from the first wait on, and nothing stays behind.
TEST(NcclProcesses, WhoIsAloneInVainLeavesNothing) {
  const auto folder = testing::TempDir() + "ringside-id-alone";
  std::filesystem::create_directories(folder);
  const std::string start = "RINGSIDE_FAKE_CUDA=devices=2 WORLD_SIZE=2 ";
  const auto first =
      shell(start + "RANK=0 " + environment + RINGSIDE_PROGRAM +
            " run --backend nccl -b 1K -e 1K --timeout 1s --id-file " + folder + "/id");
  EXPECT_EQ(first.status, 1) << first.text;
  EXPECT_THAT(first.text, HasSubstr("after 1 s rank 1 has not come to where all ranks meet"));
  const auto second =
      shell(start + "RANK=1 " + environment + RINGSIDE_PROGRAM +
            " run --backend nccl -b 1K -e 1K --timeout 1s --id-file " + folder + "/id");
  EXPECT_EQ(second.status, 3) << second.text;
  const auto ended =
      shell(start + "RANK=0 timeout --preserve-status 2 env " + environment + RINGSIDE_PROGRAM +
            " run --backend nccl -b 1K -e 1K --id-file " + folder + "/id");
  EXPECT_NE(ended.status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "a signal ends it, and its files";
  std::filesystem::remove_all(folder);
}

// One process.

TEST(NcclProgram, SaysWhatSteersIt) {
  const auto ran = shell("RINGSIDE_FAKE_CUDA=devices=2 NCCL_ALGO=Tree " + environment +
                         RINGSIDE_PROGRAM " " + small + " --executor native");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("\n# NCCL 2\\.[0-9]+\\.[0-9]+\n"
                                      "# NCCL_ALGO=Tree as the environment has it\n"));
}

TEST(NcclProgram, TakesAsManyRanksAsThereAreDevices) {
  const auto ran = ringside("devices=3", small);
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("# nRanks 3 "));
  const auto more = ringside("devices=3", small + " --ranks 4");
  EXPECT_EQ(more.status, 3);
  EXPECT_EQ(more.text.find('#'), std::string::npos) << "a table began: " << more.text;
  EXPECT_THAT(more.text, HasSubstr("NCCL needs a device for each rank: for 4 ranks this process "
                                   "sees 3; take --ranks 3, or --backend cuda"));
}

/// Ours, NCCL's, the prediction and the share of the link in one table.
TEST(NcclProgram, IsTheYardstickOfCuda) {
  const auto ran = ringside("devices=4",
                            "run --backend cuda --ranks 4 -b 1M -e 1M -n 2 --compare nccl "
                            "--predict mesh --out-of-place");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex(" predict +error +link "));
  EXPECT_THAT(ran.text, ContainsRegex("ring +cuda/streams\n.* native +nccl/native\n"));
  EXPECT_THAT(ran.text, ContainsRegex("# ring by cuda/streams, 1 MiB, out of place: [0-9.]+ times "
                                      "as long as nccl/native\n"));
  const auto json = ringside("devices=4",
                             "run --backend cuda --ranks 4 -b 1M -e 1M -n 2 --compare nccl "
                             "--predict mesh --out-of-place --json");
  EXPECT_THAT(json.text, HasSubstr("\"busiest_link_share\""));
}

/// Ranks that share a device have no NCCL to be compared with.
TEST(NcclProgram, SaysWhereThereIsNothingToCompareWith) {
  const auto ran =
      ringside("devices=1", "run --backend cuda --ranks 4 -b 1K -e 1K -n 2 --compare nccl");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("# native N/A: NCCL needs a device for each rank: for 4 ranks "
                                  "this process sees 1"));
  const auto json =
      ringside("devices=1", "run --backend cuda --ranks 4 -b 1K -e 1K -n 2 --compare nccl --json");
  EXPECT_THAT(json.text, HasSubstr("native N/A: NCCL needs a device for each rank"));
}

TEST(NcclProgram, MeasuresItsOwnCollectiveBesideOurs) {
  const auto both = ringside("devices=2", small);
  EXPECT_THAT(both.text, ContainsRegex("ring +nccl/grouped\n.* native +nccl/native\n"));
  const auto own = ringside("devices=2", small + " --executor native");
  EXPECT_THAT(own.text, ContainsRegex("none +nccl/native\n"));
  EXPECT_THAT(own.text, testing::Not(ContainsRegex(" ring +nccl")));
}

/// What the library does must not open a gate for what we do.
TEST(NcclProgram, IsNotInTheAverage) {
  const auto ran = ringside("devices=2", small + " --min-busbw 0 --out-of-place --json");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("average bus bandwidth of 1 row: [0-9.e-]+ GB/s, without "
                                      "those of nccl/native; at least 0 asked for: OK"));
}

TEST(NcclProgram, IsMeasuredOnce) {
  for (const std::string more :
       {" --compare nccl", " --native", " --executor native --native --compare nccl"}) {
    const auto ran = ringside("devices=2", small + more);
    EXPECT_EQ(ran.status, 0) << ran.text;
    const auto first = ran.text.find("  nccl/native\n");
    EXPECT_NE(first, std::string::npos) << more << ran.text;
    EXPECT_EQ(ran.text.find("  nccl/native\n", first + 1), std::string::npos) << more << ran.text;
  }
}

TEST(NcclProgram, WithoutADriverSaysSo) {
  const auto ran = ringside("driver=none", small);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.text, HasSubstr("this machine has no NVIDIA driver"));
}

}  // namespace
}  // namespace fake
