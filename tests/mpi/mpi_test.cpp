// Jobs of several processes, started as users start them: right results, mistakes that are found,
// and ranks that stop, die, are late or disagree.

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/formats/trace_json.hpp"
#include "core/machine_memory.hpp"
#include "tests/mpi/mistakes.hpp"

namespace ringside {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

struct Ran {
  int status = 0;
  std::string text;
};

/// What a job says, on both streams.
Ran shell(const std::string& command) {
  Ran ran;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no process: " + command);
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) ran.text += line;
  ran.status = WEXITSTATUS(pclose(pipe));
  return ran;
}

std::string joined(std::initializer_list<std::string_view> words) {
  std::string all;
  for (const auto word : words) (all += word) += ' ';
  all.pop_back();
  return all;
}

/// Skips where there is no mpirun. More processes than cores, and root, are not mpirun's defaults.
class Mpi : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(RINGSIDE_MPIRUN))
      GTEST_SKIP() << "mpirun is not installed: apt-get install openmpi-bin";
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("HWLOC_COMPONENTS", "-gl", 1);  // mpirun must not depend on an X server
    setenv("OMPI_MCA_btl_vader_backing_directory", shared_.c_str(), 1);
    std::filesystem::create_directories(shared_);
  }
  void TearDown() override {
    if (!IsSkipped()) {
      EXPECT_TRUE(std::filesystem::is_empty(shared_)) << "segments were left in " << shared_;
    }
    std::filesystem::remove_all(shared_);
  }
  static Ran job(int ranks, const std::string& program) {
    return shell("timeout -k 5 900 " RINGSIDE_MPIRUN " -n " + std::to_string(ranks) + " " +
                 program);
  }
  static Ran ringside(int ranks, const std::string& words) {
    return job(ranks, RINGSIDE_PROGRAM " " + words);
  }
  static Ran ranks(int ranks, const std::string& words) {
    return job(ranks, RINGSIDE_MPI_RANKS " " + words);
  }
  const std::string shared_ =
      testing::TempDir() + "ringside_mpi_" + std::to_string(getpid());  // for messages
};
class MpiFull : public Mpi {};

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST_F(Mpi, EveryAlgorithmIsRight) {
  for (const std::string executor : {"messages", "sliced"})
    for (const int n : {3, 4}) {
      const auto ran = ranks(n, "quick " + executor);
      EXPECT_EQ(ran.status, 0) << ran.text;
      EXPECT_THAT(ran.text, HasSubstr("runs on mpi/" + executor + " are right"));
    }
}

TEST_F(Mpi, ExecutorsWithoutAScheduleAreRight) {
  for (const std::string executor : {"window", "direct", "native"})
    for (const int n : {1, 3}) {
      const auto ran = ranks(n, "executor " + executor);
      EXPECT_EQ(ran.status, 0) << executor << n << ran.text;
      EXPECT_THAT(ran.text, HasSubstr("runs on mpi/" + executor));
    }
}

TEST_F(MpiFull, EveryAlgorithmIsRightWithEveryTypeAndOp) {
  for (const int n : {2, 3, 4, 7, 8}) {
    const auto ran = ringside(n, "verify --backend mpi");
    EXPECT_EQ(ran.status, 0) << n << ran.text;
  }
}

TEST_F(MpiFull, MoreThanTwoToTheThirtyOneElementsAreAllRight) {
  const auto available = available_memory();
  if (!available || *available < 20_GiB)
    GTEST_SKIP() << "two processes of 2 GiB in and out need 20 GiB of free memory; here are "
                 << to_string(available.value_or(Bytes{}));
  const std::string beyond = std::to_string((std::uint64_t{1} << 31) + 6);  // even: two blocks
  for (std::size_t k = 0; k < collective_count; ++k) {
    const auto kind = static_cast<CollectiveKind>(k);
    if (kind == CollectiveKind::barrier) continue;
    const auto ran =
        ringside(2, joined({"run --backend mpi --timeout 300s -d uint8 -n 1 -w 0 -b", beyond, "-e",
                            beyond, "--out-of-place --collective", name(kind)}));
    EXPECT_EQ(ran.status, 0) << ran.text;
    EXPECT_THAT(ran.text, HasSubstr(" " + beyond + " ")) << "not one element less";
    EXPECT_THAT(ran.text, HasSubstr("# Out of bounds values : 0 OK"));
  }
}

TEST_F(Mpi, OneProcessSpeaksForAll) {
  const auto ran = ringside(3, "verify --backend mpi --collective barrier");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(count(ran.text, "barrier"), 1u) << ran.text;
}

TEST_F(Mpi, ARequestThatMakesNoSenseIsRefusedOnce) {
  for (const std::string words :
       {"verify --backend mpi --ranks 4", "verify --backend mpj", "verify --backend mpi --rank"}) {
    const auto ran = ringside(3, words);
    EXPECT_EQ(ran.status, 2) << ran.text;
    EXPECT_EQ(count(ran.text, "ringside: "), 1u) << ran.text;
  }
}

TEST_F(Mpi, OneProcessIsToldHowToStartMore) {
  const auto ran = shell(RINGSIDE_PROGRAM " verify --backend mpi --collective broadcast");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("mpirun -n 4 ringside"));
}

TEST_F(Mpi, EveryMistakeIsFound) {
  for (std::size_t i = 0; i < mpi::mistakes(); ++i) {
    const auto ran = ranks(4, "tamper " + std::to_string(i));
    EXPECT_EQ(ran.status, 1) << mpi::mistake(i) << ": " << ran.text;
  }
  const auto none = ranks(4, "tamper 99");
  EXPECT_EQ(none.status, 0) << none.text;
}

TEST_F(Mpi, EveryMistakeOfThoseWhoShareOutSlicesIsFound) {
  for (const std::string executor : {"direct", "sliced"}) {
    const auto ran = ranks(3, "slices " + executor);
    EXPECT_EQ(ran.status, 0) << executor << ":\n" << ran.text;
    EXPECT_EQ(count(ran.text, ": found\n"), 12u) << executor << ":\n" << ran.text;
    EXPECT_EQ(count(ran.text, ": right\n"), 2u);
  }
}

TEST_F(Mpi, EveryMistakeInTheSharedWindowIsFound) {
  const auto ran = ranks(3, "window 0");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(count(ran.text, ": found\n"), 13u) << ran.text;
  EXPECT_EQ(count(ran.text, ": right\n"), 4u) << "late ranks are no mistake: " << ran.text;
}

TEST_F(Mpi, AMessageThatNeverComesIsNamed) {
  const auto ran = ranks(3, "tamper " + std::to_string(mpi::mistakes() - 1));
  EXPECT_THAT(ran.text, HasSubstr("s transfer 1 (step 0) "));
  EXPECT_THAT(ran.text, HasSubstr("from rank 1 to rank "));
  EXPECT_THAT(ran.text, HasSubstr("all ranks answer: a message was lost"));
}

TEST_F(Mpi, ARankThatStopsIsNamedByTheOthersOnce) {
  for (const std::string victim : {"0", "2"}) {
    const auto ran = ranks(4, joined({"stopped", victim, "2000"}));
    EXPECT_EQ(ran.status, 1) << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("rank " + victim + " does not answer"));
    EXPECT_EQ(count(ran.text, "ringside: "), 1u) << ran.text;
  }
}

TEST_F(Mpi, ARankThatNapsIsNamedOnceAndDoesNotComplainOfTheOthers) {
  constexpr int most_naps = 8;
  for (const std::string victim : {"0", "2"}) {
    Ran ran{};
    // On a busy machine the others may be kept from waiting as long as it naps: then all is right.
    for (int nap = 0; nap < most_naps && ran.status == 0; ++nap) {
      ran = ranks(4, joined({"naps", victim, "2000"}));
      EXPECT_EQ(count(ran.text, "ringside: "), ran.status == 0 ? 0u : 1u) << ran.text;
    }
    EXPECT_EQ(ran.status, 1) << "never noticed: " << ran.text;
  }
}

TEST_F(Mpi, ALateRankIsNamedByTheOthers) {
  const auto ran = ranks(3, "late 1 1000");
  EXPECT_EQ(ran.status, 1) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("rank 1 has not come to where all ranks meet"));
}

TEST_F(Mpi, AKilledRankEndsAll) {
  const auto ran = ranks(3, "killed 1 20000");
  EXPECT_NE(ran.status, 0) << ran.text;
  EXPECT_NE(ran.status, 124) << "it was not the killed rank that ended the job";
  EXPECT_THAT(ran.text, HasSubstr("ringside: told to end after "));
  EXPECT_THAT(ran.text, ContainsRegex("(transfer .*(from|to) rank 1.*|rank 1 has not come to where "
                                      "all ranks meet); rank 1 does not answer"));
  EXPECT_EQ(count(ran.text, "ringside: "), 1u) << ran.text;
}

TEST_F(Mpi, ARankThatIsAboutToDoSomethingElseIsNamed) {
  const auto type = ranks(3, "other_type 2");
  EXPECT_EQ(type.status, 2) << type.text;
  EXPECT_THAT(type.text, HasSubstr("the type of rank 2 is half and that of rank 0 is float"));
  const auto size = ranks(3, "other_count 1");
  EXPECT_EQ(size.status, 2) << size.text;
  EXPECT_THAT(size.text, HasSubstr("the count of rank 1 is 5"));
}

TEST_F(Mpi, ATraceTellsBothEndsOfEveryTransfer) {
  const auto ran = ranks(3, "trace 0");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("12 spans"));
}

TEST_F(Mpi, RunMeasuresSchedulesBesideTheLibrarysOwn) {
  const auto ran = ringside(3, "run --backend mpi -b 1K -e 1K -n 2 --native");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(count(ran.text, "mpi/messages\n"), 1u) << ran.text;
  EXPECT_EQ(count(ran.text, "  mpi/native\n"), 1u) << ran.text;
  EXPECT_EQ(count(ran.text, " times as long as mpi/native\n"), 2u) << ran.text;
  const auto half = ringside(3, "run --backend mpi -b 1K -e 1K -n 2 -d half --native");
  EXPECT_EQ(half.status, 0) << half.text;
  EXPECT_THAT(half.text, HasSubstr("# native N/A: MPI has no type half to reduce"));
}

TEST_F(Mpi, TheLibrarysOwnIsMeasuredOnce) {
  for (const std::string how : {"--native --compare mpi", "--executor native --native"}) {
    const auto ran = ringside(2, "run --backend mpi -b 1K -e 1K -n 2 " + how);
    EXPECT_EQ(ran.status, 0) << ran.text;
    EXPECT_EQ(count(ran.text, "  mpi/native\n"), 1u) << how << ran.text;
  }
}

TEST_F(Mpi, VerifyEndsWhereARankDoesNotAnswer) {
  const auto ran = job(3,
                       "sh -c '[ $OMPI_COMM_WORLD_RANK != 1 ] || (sleep 1; kill -STOP $$) & "
                       "exec " RINGSIDE_PROGRAM " verify --backend mpi --all --timeout 2s'");
  EXPECT_EQ(ran.status, 1) << ran.text;
  EXPECT_THAT(ran.text, HasSubstr("; the last run did not end\n"));
  EXPECT_EQ(ran.text.find("ringside: \n"), std::string::npos) << "an empty complaint: " << ran.text;
  // It is stopped amid some run, or between two.
  EXPECT_THAT(ran.text, testing::ContainsRegex(
                            "ringside: after .* s (rank 1 |transfer .*; rank 1 does not answer)"));
}

TEST_F(Mpi, RunRecordsWhatAllProcessesSaw) {
  const auto trace = testing::TempDir() + "mpi_trace_" + std::to_string(getpid()) + ".json";
  const auto ran = ringside(3, "run --backend mpi -b 64K -e 64K -n 1 --trace " + trace);
  EXPECT_EQ(ran.status, 0) << ran.text;
  std::ifstream file(trace);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto run = trace_from_json(text, trace);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(run->is_measured);
  EXPECT_EQ(run->spans.size(), run->schedule->transfers().size());
  std::filesystem::remove(trace);
}

TEST_F(Mpi, OneProcessWritesTheTraceOfAll) {
  const auto file = testing::TempDir() + "mpi_perfetto_" + std::to_string(getpid()) + ".json";
  const auto ran = ringside(3, "trace --backend mpi --bytes 64K --out " + file);
  EXPECT_EQ(ran.status, 0) << ran.text;
  std::ifstream written(file);
  const std::string text(std::istreambuf_iterator<char>(written), {});
  EXPECT_EQ(count(text, "\"ph\": \"B\""), 2u * 2 * 2 * 3) << "both ends of each transfer";
  EXPECT_THAT(text, HasSubstr("\"backend\": \"mpi/messages\""));
  std::filesystem::remove(file);
}

TEST_F(Mpi, ACalibratedMachineIsWrittenOnceAndCanBeSimulated) {
  const auto machine = testing::TempDir() + "mpi_machine_" + std::to_string(getpid()) + ".toml";
  const auto ran =
      ringside(3, "calibrate --backend mpi --samples 2 --message 64K --out " + machine);
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(count(ran.text, "measured 6 of 6 ordered pairs"), 1u) << ran.text;
  const auto simulated =
      shell(RINGSIDE_PROGRAM " simulate -b 1M -e 1M --algorithm ring --system " + machine);
  EXPECT_EQ(simulated.status, 0) << simulated.text;
  std::filesystem::remove(machine);
}

/// Processes that run this test's program and have not ended.
std::size_t left_behind() {
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::string words;
    std::getline(file, words);
    found += words.find("mpi_ranks_marked") != std::string::npos;
  }
  return found;
}

TEST_F(Mpi, NoProcessStaysBehind) {
  const auto link = shared_ + "/../mpi_ranks_marked_" + std::to_string(getpid());
  std::filesystem::create_symlink(RINGSIDE_MPI_RANKS, link);
  for (const std::string fault : {"stopped", "killed"}) {
    const auto ran = job(3, joined({link, fault, "1 1000"}));
    EXPECT_NE(ran.status, 0) << ran.text;
  }
  EXPECT_EQ(left_behind(), 0u);
  std::filesystem::remove(link);
}

}  // namespace
}  // namespace ringside
