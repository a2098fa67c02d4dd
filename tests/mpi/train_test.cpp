// Training where each worker is a process gives the loss curve and the weights that it gives where
// they are threads.

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace ringside {
namespace {

using testing::HasSubstr;

/// What a command says; the exit status in `status`.
std::string said_by(const std::string& command, int& status) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  status = WEXITSTATUS(pclose(pipe));
  return text;
}

/// All but where it ran.
std::string trained(const std::string& start, const std::string& flags) {
  int status = -1;
  auto text =
      said_by(start + RINGSIDE_PROGRAM " train --batch 8 --steps 3 --json " + flags, status);
  EXPECT_EQ(status, 0) << text;
  const auto begin = text.find("\"backend\""), end = text.find('\n', begin);
  EXPECT_NE(begin, std::string::npos) << text;
  return text.erase(begin, end - begin);
}

class MpiTraining : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(RINGSIDE_MPIRUN))
      GTEST_SKIP() << "mpirun is not installed: apt-get install openmpi-bin";
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("HWLOC_COMPONENTS", "-gl", 1);
  }
  const std::string three_ = "timeout -k 5 300 " RINGSIDE_MPIRUN " -n 3 ";
};

TEST_F(MpiTraining, GivesTheSameBitsAsOnThreads) {
  for (const std::string way : {"", "--no-sync", "--model transformer", "--no-broadcast"}) {
    const auto wanted = trained("", "--workers 3 " + way);
    EXPECT_THAT(wanted, HasSubstr("\"steps\""));
    EXPECT_EQ(trained(three_, "--backend mpi " + way), wanted) << way;
  }
}

TEST_F(MpiTraining, IsRefusedOnce) {
  int status = -1;
  const auto text =
      said_by(three_ + RINGSIDE_PROGRAM " train --backend mpi --workers 2 2>&1", status);
  EXPECT_EQ(status, 2) << text;
  EXPECT_THAT(text, HasSubstr("backend mpi has 3 ranks here"));
}

}  // namespace
}  // namespace ringside
