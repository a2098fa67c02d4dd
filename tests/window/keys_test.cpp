// Every key of the table does what the window is asked for, in the window.

#include <gmock/gmock.h>

#include <map>

#include "tests/window/script.hpp"
#include "viz/stage/keys.hpp"

namespace ringside::window {
namespace {

using stage::Command;

/// What must be so for a key to have something to do.
std::string prelude(Command command) {
  static const std::map<Command, std::string> lines = {
      {Command::step_back, "seek 50%\n"},
      {Command::to_start, "seek 50%\n"},
      {Command::repair, "key X\n"},
      {Command::slow_down, "select link gpu0->gpu1\n"},
      {Command::kill, "select link gpu0->gpu1\n"},
      {Command::straggle, "select rank 1\n"},
      {Command::menu, "select rank 1\n"},
      {Command::edit_field, "key Tab\n"},
      {Command::raise, "key Tab\nkey Tab\n"},
      {Command::lower, "key Tab\nkey Tab\n"},
      {Command::pan_forward, "zoom 50us 4\n"},
      {Command::pan_back, "key End\nzoom 5ms 4\n"},
      {Command::focus, "zoom 50us 4\n"},
      {Command::smaller, "key Ctrl+=\n"},
      {Command::escape, "key ?\n"},
  };
  const auto found = lines.find(command);
  return found == lines.end() ? "" : found->second;
}

/// Kept in files or the clipboard: the model does not change.
bool leaves_the_model(Command command) {
  return command == Command::share || command == Command::paste || command == Command::picture ||
         command == Command::csv;
}

TEST_F(Scripted, EveryKeyOfTheTableDoesSomething) {
  std::string lines;
  std::vector<std::string> pressed;
  for (const stage::Binding& binding : stage::key_table())
    for (const auto key : binding.keys) {
      if (key.empty() || binding.command == Command::quit || leaves_the_model(binding.command))
        continue;
      const auto n = std::to_string(pressed.size());
      lines += "open ring?ranks=4\nwait\nselect none\nkey Escape\nkey Escape\n" +
               prelude(binding.command) + "dump before" + n + "\nkey " + std::string(key) +
               "\ndump after" + n + "\n";
      pressed.emplace_back(key);
    }
  play(lines);
  EXPECT_GT(pressed.size(), 40u);
  for (std::size_t i = 0; i < pressed.size(); ++i)
    EXPECT_NE(state("before" + std::to_string(i)), state("after" + std::to_string(i)))
        << pressed[i] << " does nothing";
}

TEST_F(Scripted, KeysForFilesWriteThem) {
  play("seek 40%\nkey P\nframes 1\nkey E\nframes 1\nkey P\nframes 1\n");
  EXPECT_EQ(png_size(at("ringside-1.png")), (PngSize{1280, 720}));
  EXPECT_TRUE(has("ringside-2.png"));
  EXPECT_THAT(contents(at("ringside-1.csv")), testing::HasSubstr("size_bytes,algorithm"));
}

TEST_F(Scripted, AShareStringGoesThroughTheClipboard) {
  play(
      "set ranks 6\nseek 25%\nkey Ctrl+C\ndump a\nset ranks 3\nkey Home\nkey Ctrl+V\nwait\n"
      "dump b\n");
  EXPECT_EQ(state("a")["run"], state("b")["run"]);
  EXPECT_EQ(state("a")["now_ps"], state("b")["now_ps"]);
}

TEST_F(Scripted, QuitEndsTheScript) {
  play("dump a\nkey Ctrl+Q\ndump b\n");
  EXPECT_TRUE(has("a"));
  EXPECT_FALSE(has("b"));
}

TEST_F(Scripted, AClickerAloneIsNeverStranded) {
  // All it has, in every order of two, from every state it can itself bring about.
  const std::vector<std::string> clicker{"PageDown", "PageUp", "B", "F5"};
  std::string lines;
  for (const auto& first : clicker)
    for (const auto& second : clicker) lines += "key " + first + "\nkey " + second + "\n";
  lines +=
      "key PageUp\nkey PageUp\nkey PageUp\nkey Home\ndump a\nkey PageDown\nkey PageDown\n"
      "dump b\n";
  play(lines);
  EXPECT_FALSE(state("b")["blank"].get<bool>());
  EXPECT_GT(state("b")["now_ps"], state("a")["now_ps"]);
}

TEST_F(Scripted, ABlankScreenIsBlackAndAnyKeyBringsThePictureBack) {
  play("seek 30%\ndump a\nkey B\nshot black.png\ndump b\nkey PageDown\ndump c\n");
  EXPECT_TRUE(state("b")["blank"].get<bool>());
  EXPECT_EQ(state("a"), state("c"));
  sf::Image black;
  black.create(1280, 720, sf::Color::Black);
  black.saveToFile(at("expected.png").string());
  EXPECT_EQ(difference(at("black.png"), at("expected.png")), 0u);
}

TEST_F(Scripted, FullScreenCoversTheMonitorAndComesBack) {
  play("shot a.png\nkey F11\nframes 2\nshot b.png\nkey F5\nframes 2\nshot c.png\n");
  EXPECT_EQ(png_size(at("b.png")), (PngSize{1920, 1080}));
  EXPECT_EQ(png_size(at("c.png")), (PngSize{1280, 720}));
  EXPECT_EQ(difference(at("a.png"), at("c.png")), 0u);
}

TEST_F(Scripted, LanguageAndThemeAreSwappedInPlace) {
  play(
      "seek 30%\nshot en.png\nkey L\ndump zh\nshot zh.png\nkey L\nshot again.png\n"
      "key T\ndump light\nshot light.png\nkey T\nshot dark.png\n");
  EXPECT_EQ(state("zh")["language"], "zh");
  EXPECT_EQ(state("light")["theme"], "projector");
  EXPECT_GT(difference(at("en.png"), at("zh.png")), 100u);
  EXPECT_GT(difference(at("en.png"), at("light.png")), 100u);
  EXPECT_EQ(difference(at("en.png"), at("again.png")), 0u);
  EXPECT_EQ(difference(at("en.png"), at("dark.png")), 0u);
}

}  // namespace
}  // namespace ringside::window
