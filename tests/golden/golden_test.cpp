// What people see, to the letter. A golden file is one run: its first line is the command, the rest
// what it prints. README.md beside it says how to add one and how to renew them all.

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/file.hpp"
#include "tests/viz/command.hpp"

namespace ringside::terminal {
namespace {

const std::filesystem::path folder = std::filesystem::path(RINGSIDE_SOURCE_DIR) / "tests/golden";

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".golden") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  Golden() { std::filesystem::current_path(folder); }
  ~Golden() override { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_P(Golden, PrintsTheSameAsEver) {
  const std::string file = GetParam() + ".golden";
  const auto wanted = read_file(file);
  ASSERT_TRUE(wanted) << wanted.error().message;
  const std::string command = wanted->substr(0, wanted->find('\n'));
  const std::string prompt = "$ ringside ";
  ASSERT_EQ(command.rfind(prompt, 0), 0u) << file << " must begin with \"" << prompt << "\"";
  const auto ran = run(command.substr(prompt.size()));
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::string now = command + "\n" + ran.out;
  if (std::getenv("RINGSIDE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(file, now));
    return;
  }
  EXPECT_EQ(now, *wanted) << "if this is better: RINGSIDE_UPDATE_GOLDEN=1 renews it, git diff "
                             "shows it, and a person reads that";
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(golden_files()),
                         [](const auto& file) { return file.param; });

TEST(GoldenFolder, IsNotEmpty) {
  EXPECT_GE(golden_files().size(), 12u);
}

}  // namespace
}  // namespace ringside::terminal
