// The window's page in docs/: its commands run, its script is one, its pictures are what it says.

#include <gmock/gmock.h>

#include "tests/window/window.hpp"
#include "viz/stage/script.hpp"

namespace ringside::window {
namespace {

namespace fs = std::filesystem;

const fs::path source = RINGSIDE_SOURCE_DIR;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What stands after `ringside` in every line of the page that calls `./ringside view`.
std::vector<std::string> commands() {
  const std::string program = "./ringside ";
  std::vector<std::string> all;
  for (const std::string& line : lines_of(contents(source / "docs/window.md")))
    if (line.starts_with(program + "view"))
      all.push_back(line.substr(program.size(), line.find(" #") - program.size()));
  return all;
}

std::string after(const std::string& command, const std::string& flag) {
  const auto at = command.find(flag + " ");
  if (at == std::string::npos) return {};
  return command.substr(at + flag.size() + 1,
                        command.find(' ', at + flag.size() + 1) - at - flag.size() - 1);
}

/// The page's script: the block that begins so.
std::string script() {
  const std::string page = contents(source / "docs/window.md");
  const auto begin = page.find("set ranks 16\n");
  if (begin == page.npos) return {};
  return page.substr(begin, page.find("```", begin) - begin);
}

class WindowFull : public Window {};

TEST_F(WindowFull, ItsPagesCommandsRun) {
  const auto all = commands();
  EXPECT_GE(all.size(), 8u) << "has the page's form changed?";
  fs::create_directory(at("docs"));
  std::ofstream(at("try.txt")) << script();
  fs::copy(source / "docs/window-training.txt", at("docs"));
  for (const std::string& command : all) {
    // Films and benchmarks have tests of their own, and take long.
    if (command.find("--record") != command.npos || command.find("--bench") != command.npos)
      continue;
    const auto ran = run(command + " --exit");
    EXPECT_EQ(ran.status, 0) << command << ran.err;
    const bool prompts = command.find("--present") != command.npos;
    EXPECT_EQ(prompts ? ran.err : ran.out + ran.err, "") << command;
    const auto shot = after(command, "--shot");
    EXPECT_TRUE(shot.empty() || has(shot)) << shot;
  }
}

TEST_F(Window, ItsPagesScriptIsOne) {
  const auto read = stage::parse_script(script(), "docs/window.md");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_GE(read->lines.size(), 4u);
}

TEST_F(Window, ItsPagesPicturesHaveTheSizeThatTheirCommandsSay) {
  std::size_t pictures = 0;
  for (const std::string& command : commands()) {
    const auto shot = after(command, "--shot"), size = after(command, "--size");
    if (!shot.starts_with("docs/")) continue;
    const auto [width, height] = png_size(source / shot);
    EXPECT_EQ(std::to_string(width) + "x" + std::to_string(height), size) << shot;
    ++pictures;
  }
  EXPECT_GE(pictures, 4u);
}

}  // namespace
}  // namespace ringside::window
