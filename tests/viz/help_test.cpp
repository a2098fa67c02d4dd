// What --help and completion promise is true.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/algorithm.hpp"
#include "core/file.hpp"
#include "sim/shapes.hpp"
#include "sim/systems.hpp"
#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

/// The names under "Subcommands:" of a help text, in full; nested ones too.
std::vector<std::string> commands(const std::string& above = "") {
  std::vector<std::string> names;
  bool inside = false;
  for (const auto& line : lines(run(above + " --help").out)) {
    if (line.starts_with("Subcommands:")) {
      inside = true;
      continue;
    }
    if (!inside) continue;
    if (!line.starts_with("  ")) break;
    if (line[2] == ' ') continue;  // a summary's second line
    const auto name = above + (above.empty() ? "" : " ") + split(line).front();
    names.push_back(name);
    for (const auto& below : commands(name)) names.push_back(below);
  }
  return names;
}

/// The command lines after `Example:` or `Examples:`.
std::vector<std::string> examples(const std::string& help) {
  std::vector<std::string> found;
  bool inside = false;
  for (const auto& line : lines(help)) {
    const auto colon = line.find(": ");
    const bool begins = line.starts_with("Example") && colon != std::string::npos;
    inside = begins || (inside && line.starts_with("   "));
    if (inside) found.push_back(line.substr(begins ? colon + 2 : line.find_first_not_of(' ')));
  }
  return found;
}

/// A folder with all that examples name, and stand-ins for what this machine may lack.
class Examples : public testing::Test {
 protected:
  Examples() {
    fs::create_directories(here_ / "bin");
    fs::create_directories(here_ / ".local/share/bash-completion/completions");
    fs::create_symlink(RINGSIDE_PROGRAM, here_ / "bin/ringside");
    const fs::path tests = fs::path(RINGSIDE_SOURCE_DIR) / "tests";
    fs::copy(tests / "golden/two_gpus.xml", here_ / "machine.xml");
    fs::copy(tests / "fuzz/seeds/msccl_xml/pair.xml", here_ / "algorithm.xml");
    fs::copy(tests / "golden/four_gpus.topo_m", here_ / "four_gpus.topo_m");
    fs::copy(tests / "golden/two_nodes.log", here_ / "all_reduce.log");
    fs::create_directories(here_ / "hand-ins");
    fs::create_symlink(tests / "readme/bin/all_reduce_perf", here_ / "bin/all_reduce_perf");
    std::ofstream(here_ / "bin/nvidia-smi")
        << "#!/bin/sh\ncat '" << (here_ / "four_gpus.topo_m").string() << "'\n";
    fs::permissions(here_ / "bin/nvidia-smi", fs::perms::owner_all);
    std::string said;
    const char* handed_in = "ringside learn 3 --assign --student s1 --out hand-ins/s1.json";
    EXPECT_EQ(shell(handed_in, said), 0) << said;
  }
  ~Examples() override { fs::remove_all(here_); }

  /// Open MPI wants to hear that root means it, and that there may be fewer cores than ranks.
  static constexpr const char* open_mpi_anywhere =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_rmaps_base_oversubscribe=1";

  /// Exit status of a shell that runs it there; the output is in `said`.
  int shell(const std::string& command, std::string& said) const {
    const auto script = "cd '" + here_.string() +
                        "' && export HOME=\"$PWD\" PATH=\"$PWD/bin:$PATH\" " + open_mpi_anywhere +
                        " && { " + command + "\n} >said 2>&1 </dev/null";
    const int status = std::system(script.c_str());
    said = read_file((here_ / "said").string()).value_or("");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  fs::path here_ = fs::path(testing::TempDir()) / ("ringside_examples_" + std::to_string(getpid()));
};

TEST_F(Examples, OfEveryCommandRun) {
  const auto all = commands();
  EXPECT_THAT(all, IsSupersetOf({"demo", "list", "topo", "simulate", "step", "view", "verify",
                                 "schedule check", "completion"}));
  for (const auto& command : all) {
    const auto found = examples(run(command + " --help").out);
    EXPECT_THAT(found, testing::Not(testing::IsEmpty())) << command << " shows no example";
    for (const auto& example : found) {
      EXPECT_THAT(example, HasSubstr("ringside " + command)) << "of another command";
      std::string said;
      if (example.starts_with("mpirun") && shell("command -v mpirun", said) != 0) continue;
      const int status = shell(example, said);
      // No window, no Xvfb, built without MPI: it says so.
      if ((command == "view" || example.starts_with("mpirun")) && status == 3) continue;
      EXPECT_EQ(status, 0) << example << "\n" << said;
    }
  }
}

TEST_F(Examples, OnAFullDiskFail) {
  for (const char* command :
       {"ringside demo", "ringside --help | ringside topo -", "ringside step --all --json"}) {
    std::string said;
    const int expected = std::string(command).find('|') == std::string::npos ? 1 : 2;
    EXPECT_EQ(shell(std::string(command) + " >/dev/full", said), expected) << command << said;
  }
}

TEST(Help, FitsATerminal) {
  for (const auto& command : commands())
    for (const auto& line : lines(run(command + " --help").out)) {
      EXPECT_LE(line.size(), 110u) << command << ": " << line;
      EXPECT_EQ(line.find("UINT"), std::string::npos) << command << ": " << line;
    }
}

/// What bash offers for the last of these words.
std::vector<std::string> offered(const std::string& words) {
  const auto script =
      fs::path(testing::TempDir()) / ("ringside_completion_" + std::to_string(getpid()));
  EXPECT_TRUE(write_file(script.string(), run("completion bash").out));
  const auto command = "bash --norc --noprofile -c 'source \"$1\"; COMP_WORDS=(" + words +
                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ringside; "
                       "printf \"%s\\n\" \"${COMPREPLY[@]}\"' - '" +
                       script.string() + "'";
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << words;
  fs::remove(script);
  return lines(text);
}

class Completion : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v bash >/dev/null 2>&1") != 0) GTEST_SKIP() << "no bash here";
  }
};

TEST_F(Completion, OffersCommands) {
  EXPECT_THAT(offered("ringside sim"), testing::ElementsAre("simulate"));
  EXPECT_THAT(offered("ringside \"\""), IsSupersetOf({"demo", "topo", "verify"}));
  EXPECT_THAT(offered("ringside schedule ch"), testing::ElementsAre("check"));
}

TEST_F(Completion, OffersOptionsOfTheCommand) {
  EXPECT_THAT(offered("ringside simulate --al"), testing::ElementsAre("--algorithm"));
  EXPECT_THAT(offered("ringside simulate --ranks 4 --expl"), testing::ElementsAre("--explain"));
  EXPECT_THAT(offered("ringside list --exp"), testing::Each("")) << "list explains nothing";
}

TEST_F(Completion, OffersEveryAlgorithmAndSystem) {
  const auto algorithms = offered("ringside simulate --algorithm \"\"");
  EXPECT_THAT(algorithms, Contains("all"));
  for (const Algorithm& algorithm : all_algorithms())
    EXPECT_THAT(algorithms, Contains(std::string(algorithm.name)));
  const auto systems = offered("ringside simulate --system \"\"");
  for (const auto& shape : sim::shape_names()) EXPECT_THAT(systems, Contains(std::string(shape)));
  for (const auto& system : sim::list_systems())
    EXPECT_THAT(systems, Contains(system.topology.name));
  EXPECT_THAT(offered("ringside topo dgx-h"), Contains("dgx-h100"));
  EXPECT_THAT(offered("ringside verify --collective all_t"), testing::ElementsAre("all_to_all"));
}

TEST_F(Completion, IsGoodShell) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const auto ran = run("completion " + shell);
    EXPECT_EQ(ran.status, 0);
    if (std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) != 0) continue;
    const auto script = fs::path(testing::TempDir()) / ("ringside_script." + shell);
    ASSERT_TRUE(write_file(script.string(), ran.out));
    EXPECT_EQ(std::system((shell + " -n '" + script.string() + "'").c_str()), 0);
    fs::remove(script);
  }
}

}  // namespace
}  // namespace ringside::terminal
