// The window with somebody at it: what it keeps from one time to the next. On a display of its own,
// with a script in the user's place.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/window/window.hpp"

namespace ringside::window {
namespace {

using testing::HasSubstr;

class Attended : public Window {
 protected:
  void SetUp() override {
    Window::SetUp();
    if (std::system("command -v xvfb-run >/dev/null && command -v xauth >/dev/null") != 0)
      GTEST_SKIP() << "no xvfb-run or no xauth here";
  }
  /// A user who does this and leaves.
  void sit_at(const std::string& lines, const std::string& flags = "") const {
    std::ofstream(at("script")) << lines << "key Ctrl+Q\n";
    run("view --ranks 4 --script script " + flags,
        "xvfb-run -a -s '-screen 0 1600x1200x24' sh -c '\"$@\" 2>said; echo $? >status' -");
    EXPECT_EQ(contents(at("status")), "0\n") << said();
  }
  std::string said() const { return contents(at("said")); }
  nlohmann::json state(const std::string& name) const {
    return nlohmann::json::parse(contents(at(name)));
  }
  static constexpr const char* settings = ".config/ringside/settings.toml";
};

TEST_F(Attended, LanguageThemeAndScaleAreThereAgain) {
  sit_at("dump fresh\nkey L\nkey T\nkey Ctrl+=\nframes 2\n");
  EXPECT_TRUE(has(settings));
  sit_at("dump again\n");
  EXPECT_EQ(said(), "");
  EXPECT_EQ(state("fresh")["language"], "en");
  EXPECT_EQ(state("again")["language"], "zh");
  EXPECT_EQ(state("again")["theme"], "projector");
  EXPECT_EQ(state("again")["scale"], 1.25);
  // What is asked for now is worth more than what was kept.
  sit_at("dump asked\n", "--lang en --ui-scale 2");
  EXPECT_EQ(state("asked")["language"], "en");
  EXPECT_EQ(state("asked")["scale"], 2);
}

TEST_F(Attended, ABrokenSettingsFileIsSetAside) {
  std::filesystem::create_directories(at(".config/ringside"));
  std::ofstream(at(settings)) << "theme = \"dark\nscale = [[[";
  sit_at("dump a\n");
  EXPECT_THAT(said(), HasSubstr("settings.toml"));
  EXPECT_EQ(std::ranges::count(said(), '\n'), 1) << said();
  EXPECT_TRUE(has(std::string(settings) + ".broken"));
  EXPECT_EQ(state("a")["theme"], "dark");
  sit_at("dump b\n");
  EXPECT_EQ(said(), "") << "it is set aside once";
}

TEST_F(Attended, SettingsOutOfRangeAreTakenForNone) {
  std::filesystem::create_directories(at(".config/ringside"));
  std::ofstream(at(settings)) << "theme = \"neon\"\nlanguage = \"xx\"\nscale = 400\nwidth = 7\n"
                                 "height = 100000\n";
  sit_at("frames 2\ndump a\nshot a.png\n");
  const auto dumped = state("a");
  EXPECT_EQ(dumped["theme"], "dark");
  EXPECT_EQ(dumped["language"], "en");
  EXPECT_LE(dumped["scale"], 4);
  EXPECT_GE(png_size(at("a.png")).width, 640u);
}

TEST_F(Attended, PicturesLeaveSettingsAlone) {
  sit_at("key T\n");
  const auto kept = contents(at(settings));
  const auto ran = run("view --ranks 4 --dump-state a --exit");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(state("a")["theme"], "dark") << "a picture does not depend on whose machine it is";
  EXPECT_EQ(contents(at(settings)), kept);
}

/// A server may begin anew, or end, as soon as its last client has left: it has one from before the
/// first try to open a window until the window is there.
TEST_F(Attended, TheServerIsNeverLeftAlone) {
  std::ofstream(at("script")) << "frames 2\ndump a\nkey Ctrl+Q\n";
  run("view --ranks 4 --script script",
      "xvfb-run -a -s '-screen 0 1600x1200x24 -terminate' sh -c '\"$@\" 2>said; echo $? >status' "
      "-");
  EXPECT_EQ(contents(at("status")), "0\n") << said();
  EXPECT_TRUE(has("a"));
}

TEST_F(Attended, FillsTheMonitorThatIsAskedFor) {
  const auto on = [&](const char* monitor) {
    std::ofstream(at("script")) << "frames 3\nshot " << monitor << ".png\nkey Ctrl+Q\n";
    run(std::string("view --ranks 4 --script script --monitor ") + monitor,
        "xvfb-run -a -s '-screen 0 1600x1200x24 -noreset' sh -c '" RINGSIDE_TWO_MONITORS
        " || exit 77; \"$@\" 2>said; echo $? >status' -");
    return has("status");
  };
  if (!on("1")) GTEST_SKIP() << "no X server here that can be parted in two monitors";
  EXPECT_EQ(contents(at("status")), "0\n") << said();
  EXPECT_EQ(png_size(at("1.png")), (PngSize{1000, 1200}));
  EXPECT_TRUE(on("2"));
  EXPECT_EQ(png_size(at("2.png")), (PngSize{600, 1200}));
  EXPECT_TRUE(on("3"));
  EXPECT_EQ(contents(at("status")), "3\n");
  EXPECT_THAT(said(), HasSubstr("2 monitors"));
}

}  // namespace
}  // namespace ringside::window
