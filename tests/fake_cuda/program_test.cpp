// The program itself on pretended machines: what it says of devices, and of machines that lack
// something.

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tests/fake_cuda/machine.hpp"
#include "tests/fake_cuda/program.hpp"

namespace fake {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

TEST(Program, VerifiesEveryExecutor) {
  const auto ran = ringside("devices=3,peers=partial",
                            "verify --backend cuda --ranks 3 --collective all_reduce");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("all right"));
}

TEST(Program, NamesTheDevicesOfRanks) {
  const auto ran = ringside("devices=4", "run --backend cuda --ranks 2 --devices 3,1 -b 1K -e 1K");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("# Using devices\n"
                                      "#  Rank  0 Group  0 Pid +[0-9]+ on +.* device  3 "
                                      "\\[0000:13:00\\] Fake GPU\n"
                                      "#  Rank  1 .* device  1 \\[0000:11:00\\] Fake GPU\n"));
  EXPECT_THAT(ran.text, testing::Not(HasSubstr("virtual ranks")));
}

TEST(Program, SaysWhatFiguresOfSharedDevicesAre) {
  const auto ran = ringside("devices=1", "run --backend cuda --ranks 8 -b 1K -e 1K --json");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("virtual ranks: 8 share one device, so bandwidths are its "
                                  "memory's, not those of a fabric"));
}

TEST(Program, ReplaysAGraphAndRunsOneKernel) {
  for (const char* how : {"--graph", "--executor kernel --ctas 2 --threads 128"}) {
    const auto ran =
        ringside("devices=2", "run --backend cuda --ranks 4 -b 4K -e 4K -n 3 " + std::string(how));
    EXPECT_EQ(ran.status, 0) << ran.text;
    EXPECT_THAT(ran.text, ContainsRegex("cuda/(graph|kernel)"));
    EXPECT_THAT(ran.text, HasSubstr("# Out of bounds values : 0 OK"));
  }
}

/// The share of the busiest link is what its bytes take of the measured time.
TEST(Program, LaysThePredictionBeside) {
  const auto ran =
      ringside("devices=4", "run --backend cuda -b 1M -e 1M -n 2 --predict mesh --out-of-place");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, ContainsRegex("predict +error +link"));
  EXPECT_THAT(ran.text, ContainsRegex("\n +1048576 .* ring +cuda/streams"));
  EXPECT_EQ(ringside("devices=4", "run --backend cuda --compare host").status, 2);
}

/// What a machine lacks is one sentence and exit status 3.
TEST(Program, SaysWhatTheMachineLacks) {
  const std::pair<const char*, const char*> lacks[] = {
      {"driver=none", "this machine has no NVIDIA driver"},
      {"driver=11000", "update the NVIDIA driver"},
      {"devices=0", "nvidia-smi lists the GPUs"},
      {"mode=prohibited", "is in prohibited mode: nvidia-smi -i 0 -c DEFAULT"},
      {"mode=exclusive,fail=cudaSetDevice:1", "another process may have it in exclusive mode"},
      {"memory=1MiB", "could not allocate 1 MiB: out of memory"},
      {"fail=cudaGetDeviceCount:1:802", "start the fabric manager"},
  };
  for (const auto& [machine, sentence] : lacks) {
    const auto ran = ringside(machine, "run --backend cuda --ranks 4 -b 1M -e 1M");
    EXPECT_EQ(ran.status, 3) << machine << ran.text;
    EXPECT_THAT(ran.text, HasSubstr(sentence)) << machine;
  }
}

TEST(Program, ListsWhetherCudaCanBeUsed) {
  EXPECT_THAT(ringside("devices=0", "list backends").text,
              ContainsRegex("cuda .*\\(not here: CUDA could not list its devices"));
  EXPECT_THAT(ringside("devices=1", "list backends").text,
              testing::Not(ContainsRegex("cuda [^\n]*not here")));
}

TEST(Program, RefusesADeviceThatIsNotThere) {
  const auto ran = ringside("devices=2", "run --backend cuda --devices 2");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.text, HasSubstr("there is no CUDA device 2: this process sees devices 0 to 1"));
}

/// Instances of MIG reach no other's memory: staged, and said.
TEST(Program, StagesBetweenInstancesOfMig) {
  const auto ran = ringside("devices=2,mig=1", "run --backend cuda --ranks 2 -b 1K -e 1K");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("Fake GPU MIG 1g.10gb"));
  EXPECT_THAT(ran.text, HasSubstr("staged through pinned host memory"));
}

TEST(Program, WhoLeavesSomethingBehindIsTold) {
  const auto leak = [] {
    ringside_fake_cuda_restart("devices=1", nullptr, 0);
    void* memory = nullptr;
    cudaMalloc(&memory, 8);
    std::exit(0);
  };
  EXPECT_EXIT(leak(), testing::ExitedWithCode(RINGSIDE_FAKE_CUDA_FOUND_SOMETHING),
              "fake CUDA: never freed: 8 B of device 0");
}

/// The real runtime, where there is no GPU.
TEST(Program, WithoutAGpuSaysSo) {
  const auto ran =
      shell("env -u LD_LIBRARY_PATH " RINGSIDE_PROGRAM " run --backend cuda -b 8 -e 8");
  if (ran.status == 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(ran.status, 3) << ran.text;
  EXPECT_EQ(std::count(ran.text.begin(), ran.text.end(), '\n'), 1) << ran.text;
}

}  // namespace
}  // namespace fake
