// Every key of the table does what the window is asked for, in the window.

#include <gmock/gmock.h>

#include <functional>
#include <map>

#include "tests/window/script.hpp"
#include "viz/stage/here.hpp"
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
      {Command::zoom_out, "zoom 50us 4\n"},
      {Command::smaller, "key Ctrl+=\n"},
      {Command::escape, "key ?\n"},
      {Command::compare, "key J\nwait\n"},
      {Command::redraw, "key J\nwait\ndo redraw\ndraw 1 1 8 4\n"},
      {Command::lesson_on, "lesson 3 neighbours\n"},
      {Command::lesson_back, "lesson 3 who-is-in-it\n"},
      {Command::lock, "lesson 3 second-send\nenter 1 1\n"},
      {Command::hint, "lesson 3 who-is-in-it\n"},
      {Command::reveal, "lesson 3 steps\ndo hint\ndo hint\ndo hint\n"},
      {Command::skip, "lesson 3 left-over\n"},
  };
  const auto found = lines.find(command);
  return found == lines.end() ? "" : found->second;
}

/// Done with files, the clipboard or a process: the model does not change at once.
bool leaves_the_model(Command command) {
  return command == Command::share || command == Command::paste || command == Command::picture ||
         command == Command::csv || !stage::backend_of(command).empty();
}

using Effect = std::function<bool(const Json& before, const Json& after)>;

/// `what` is so afterwards, and was not before.
Effect becomes(const char* what, const Json& value) {
  return [=](const Json& a, const Json& b) { return a[what] != value && b[what] == value; };
}
Effect changes(const char* what) {
  return [=](const Json& a, const Json& b) { return a[what] != b[what]; };
}
Effect grows(const char* what, int way) {
  return [=](const Json& a, const Json& b) {
    return way * (b[what].get<double>() - a[what].get<double>()) > 0;
  };
}
/// The share string names a fault of this kind.
Effect asks_for(const std::string& field) {
  return [=](const Json& a, const Json& b) {
    const auto has = [&](const Json& state) {
      return state["run"]["share"].get<std::string>().find(field + "=") != std::string::npos;
    };
    return !has(a) && has(b) && b["run"]["time_ps"] > a["run"]["time_ps"];
  };
}
Effect selects(const char* kind) {
  return [=](const Json& a, const Json& b) {
    return a["selected"] != b["selected"] && b["selected"].contains(kind);
  };
}
double seen(const Json& state) {
  return state["window"]["to_ps"].get<double>() - state["window"]["from_ps"].get<double>();
}
Effect sees(int way) {
  return [=](const Json& a, const Json& b) { return way * (seen(b) - seen(a)) > 0; };
}
Effect pans(int way) {
  return [=](const Json& a, const Json& b) {
    return seen(a) == seen(b) &&
           way * (b["window"]["from_ps"].get<double>() - a["window"]["from_ps"].get<double>()) > 0;
  };
}
Effect is_there(const char* side) {
  return [=](const Json& a, const Json& b) { return a[side].is_null() && !b[side].is_null(); };
}
Effect breaks(bool on_purpose) {
  return [=](const Json& a, const Json& b) {
    return a["run"]["proven"] == on_purpose && b["run"]["proven"] != on_purpose &&
           b["run"]["mistake"].get<std::string>().empty() != on_purpose;
  };
}

Effect in_training(const char* what, const Json& value) {
  return [=](const Json& a, const Json& b) {
    return a["training"][what] != value && b["training"][what] == value;
  };
}

Effect in_lesson(const char* what, const Json& value) {
  return [=](const Json& a, const Json& b) {
    return a["lesson"][what] != value && b["lesson"][what] == value;
  };
}

/// What each command is for, as the dump says it.
const std::map<Command, Effect>& effects() {
  static const std::map<Command, Effect> all = {
      {Command::play_pause, becomes("playing", true)},
      {Command::step_forward, grows("now_ps", 1)},
      {Command::step_back, grows("now_ps", -1)},
      {Command::to_start, becomes("now_ps", 0)},
      {Command::to_end,
       [](const Json&, const Json& b) { return b["now_ps"] == b["run"]["time_ps"]; }},
      {Command::faster, grows("per_second_ps", 1)},
      {Command::slower, grows("per_second_ps", -1)},
      {Command::race, is_there("rival")},
      {Command::fork, is_there("ghost")},
      {Command::break_it, breaks(true)},
      {Command::repair, breaks(false)},
      {Command::slow_down, asks_for("slow")},
      {Command::kill, asks_for("dead")},
      {Command::straggle, asks_for("straggler")},
      {Command::next_rank, selects("rank")},
      {Command::previous_rank, selects("rank")},
      {Command::next_link, selects("link")},
      {Command::previous_link, selects("link")},
      {Command::menu, becomes("menu", true)},
      {Command::next_field, changes("field")},
      {Command::previous_field, changes("field")},
      {Command::edit_field, becomes("edits_field", true)},
      {Command::raise, changes("run")},
      {Command::lower, changes("run")},
      {Command::zoom_in, sees(-1)},
      {Command::zoom_out, sees(1)},
      {Command::pan_forward, pans(1)},
      {Command::pan_back, pans(-1)},
      {Command::focus, sees(1)},
      {Command::layout, changes("layout")},
      {Command::values, changes("values")},
      {Command::training_step, becomes("view", "training_step")},
      {Command::scaling, becomes("view", "scaling")},
      {Command::loss, becomes("view", "loss")},
      {Command::compare, in_training("compared", true)},
      {Command::redraw, in_training("drawn", Json::object())},
      {Command::lessons, becomes("lessons", true)},
      {Command::lesson_on, in_lesson("beat", "second-send")},
      {Command::lesson_back, in_lesson("beat", "second-send")},
      {Command::lock, in_lesson("gate", "right")},
      {Command::hint, in_lesson("hints", 1)},
      {Command::reveal, in_lesson("gate", "revealed")},
      {Command::skip, in_lesson("gate", "skipped")},
      {Command::side_panel, changes("side")},
      {Command::theme, changes("theme")},
      {Command::language, changes("language")},
      {Command::larger, grows("scale", 1)},
      {Command::smaller, grows("scale", -1)},
      {Command::blank, becomes("blank", true)},
      {Command::full_screen, changes("full_screen")},
      {Command::help, becomes("help", true)},
      {Command::escape, becomes("help", false)},
  };
  return all;
}

TEST_F(Scripted, EveryKeyOfTheTableDoesWhatItIsFor) {
  std::string lines;
  std::vector<std::pair<std::string, Command>> pressed;
  for (const stage::Binding& binding : stage::key_table())
    for (const auto key : binding.keys) {
      if (key.empty() || binding.command == Command::quit || leaves_the_model(binding.command))
        continue;
      const auto n = std::to_string(pressed.size());
      lines.append("open ring?ranks=4\nwait\nselect none\nkey Escape\nkey Escape\n")
          .append(prelude(binding.command))
          .append("dump before")
          .append(n)
          .append("\nkey ")
          .append(key)
          .append("\nwait\ndump after")
          .append(n)
          .append("\ndo escape\n");
      pressed.emplace_back(key, binding.command);
    }
  play(lines);
  EXPECT_GT(pressed.size(), 40u);
  for (std::size_t i = 0; i < pressed.size(); ++i) {
    const auto& [key, command] = pressed[i];
    const auto effect = effects().find(command);
    ASSERT_NE(effect, effects().end()) << key << ": what is it for?";
    EXPECT_TRUE(
        effect->second(state("before" + std::to_string(i)), state("after" + std::to_string(i))))
        << key << " does something else";
  }
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
    for (const auto& second : clicker)
      lines.append("key ").append(first).append("\nkey ").append(second).append("\n");
  lines +=
      "key PageUp\nkey PageUp\nkey PageUp\nkey Home\ndump a\nkey PageDown\nkey PageDown\n"
      "dump b\n";
  play(lines);
  EXPECT_FALSE(state("b")["blank"].get<bool>());
  EXPECT_GT(state("b")["now_ps"], state("a")["now_ps"]);
}

TEST_F(Scripted, AClickerFindsItsWayOutOfEverything) {
  // Whatever lies over the picture or has the keys: two presses at most, and the run goes on.
  const std::vector<std::string> places{
      "key ?\n",           "key M\n",      "key B\n",         "key Tab\nkey Enter\n",
      "key F5\n",          "key G\n",      "select rank 1\n", "key X\n",
      "measure 1us 2us\n", "key A\n",      "key R\n",         "set ranks nonsense\n",
      "key O\n",           "key Ctrl+=\n", "key Tab\n"};
  std::string lines;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto n = std::to_string(i);
    lines.append("open ring?ranks=4\nwait\nkey Home\n")
        .append(places[i])
        .append("frames 1\ndump before")
        .append(n)
        .append("\nkey PageDown\nkey PageDown\nframes 1\ndump after")
        .append(n)
        .append("\nkey PageUp\nkey PageUp\ndump back")
        .append(n)
        .append("\nkey Escape\nkey Escape\n");
  }
  play(lines);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto n = std::to_string(i);
    EXPECT_GT(state("after" + n)["now_ps"], state("before" + n)["now_ps"]) << places[i];
    EXPECT_FALSE(state("after" + n)["blank"].get<bool>()) << places[i];
    EXPECT_FALSE(state("after" + n)["help"].get<bool>()) << places[i];
    EXPECT_FALSE(state("after" + n)["menu"].get<bool>()) << places[i];
    EXPECT_EQ(state("back" + n)["now_ps"], 0) << places[i];
  }
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
