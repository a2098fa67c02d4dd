// Scripts: every line is read, or refused with its file, its number and how to say it right.

#include "viz/stage/script.hpp"

#include <gmock/gmock.h>

namespace ringside::stage {
namespace {

using testing::HasSubstr;

script::Line only_line(const std::string& text) {
  const auto read = parse_script(text, "try.txt");
  EXPECT_TRUE(read) << read.error().message;
  EXPECT_TRUE(!read || read->lines.size() == 1) << text;
  return read ? read->lines.front() : script::Line{};
}

template <typename Deed>
Deed on_screen(const std::string& text) {
  return std::get<Deed>(std::get<script::OnScreen>(only_line(text).deed));
}

TEST(Script, LinesAreNumberedAndCommentsAreNone) {
  const auto read =
      parse_script("# a film\n\nkey Right   # on\nselect link gpu0->gpu1#2\n", "try.txt");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->lines.size(), 2u);
  EXPECT_EQ(read->lines[0].number, 3u);
  EXPECT_EQ(std::get<script::PickLink>(read->lines[1].deed).name, "gpu0->gpu1#2")
      << "a link's name may hold a #";
}

TEST(Script, EveryVerbOfTheTableIsRead) {
  for (const char* line : {"key Right",
                           "do fork",
                           "set ranks 16",
                           "set slow gpu0->gpu1=4x",
                           "open ring?ranks=4",
                           "seek 12us",
                           "seek 35%",
                           "hover rank 3",
                           "select slot output 2 5",
                           "select none",
                           "zoom 12us 2",
                           "pan -3us",
                           "measure 2us 5us",
                           "frames 30",
                           "wait",
                           "dump a b.json",
                           "shot a.png",
                           "read a b.txt",
                           "move 1 2",
                           "click 1 2",
                           "click 1 2 right",
                           "wheel 1 2 -3",
                           "drag 1 2 3 4",
                           "drag 1 2 3 4 shift",
                           "press play",
                           "press nvlink.bandwidth slider 0.7",
                           "press selected link dead right",
                           "type 16"})
    only_line(line);
}

TEST(Script, ThingsArePressedByNamesOfManyWords) {
  const auto slider = on_screen<script::PressThing>("press nvlink.bandwidth slider 0.25");
  EXPECT_EQ(slider.name, "nvlink.bandwidth slider");
  EXPECT_EQ(slider.at, 0.25f);
  const auto offer = on_screen<script::PressThing>("press selected link 4× slower");
  EXPECT_EQ(offer.name, "selected link 4× slower");
  EXPECT_EQ(offer.at, 0.5f);
  EXPECT_FALSE(offer.right);
  const auto menu = on_screen<script::PressThing>("press ranks right");
  EXPECT_EQ(menu.name, "ranks");
  EXPECT_TRUE(menu.right);
}

TEST(Script, WhatCannotBeReadIsOneSentenceWithItsLine) {
  const auto refusal = [](const std::string& line) {
    const auto read = parse_script("wait\n" + line + "\n", "try.txt");
    return read ? std::string("none") : read.error().message;
  };
  const std::pair<const char*, const char*> wrong[] = {
      {"kye Right", "did you mean key"},
      {"key Rihgt", "did you mean Right"},
      {"key", "expected key NAME"},
      {"do frok", "did you mean fork"},
      {"set", "expected set FIELD VALUE"},
      {"seek", "expected seek TIME"},
      {"seek soon", "soon"},
      {"select rank", "expected rank 3"},
      {"select rank three", "\"three\" is not a whole number"},
      {"hover slot output 1", "slot output 2 5"},
      {"frames 99999999", "at most 1000000"},
      {"frames -1", "not a whole number"},
      {"zoom 12us nan", "not a number"},
      {"click 1", "expected click X Y"},
      {"click 1 2 left", "may be followed by right"},
      {"press scrub 1.5", "expected 0 to 1"},
      {"wait 3", "expected wait"},
  };
  for (const auto& [line, what] : wrong) {
    EXPECT_THAT(refusal(line), HasSubstr("try.txt:2: ")) << line;
    EXPECT_THAT(refusal(line), HasSubstr(what)) << line;
    EXPECT_EQ(refusal(line).find('\n'), std::string::npos);
  }
}

TEST(Script, IsPerformedWithoutAScreenUntilOneIsNeeded) {
  const auto done = [](const std::string& text, Model& model) {
    Director director;
    director.request(Director::Part::lead, model.scenario, nullptr);
    return perform(*parse_script(text, "try.txt"), model, director, {});
  };
  Model model;
  EXPECT_TRUE(done("set ranks 4\nseek 50%\nkey L\nselect link gpu0->gpu1\n", model));
  EXPECT_EQ(model.run->ranks(), 4u);
  EXPECT_EQ(model.playback.now.picoseconds, (model.run->time().picoseconds + 1) / 2);
  EXPECT_EQ(model.language, Language::chinese);
  EXPECT_TRUE(model.selected.link);
  const auto refused = done("seek 10%\npress play\nseek 90%\n", model);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("try.txt:2: this line needs a window"));
  const auto no_link = done("select link gpu0->gpu9\n", model);
  ASSERT_FALSE(no_link);
  EXPECT_THAT(no_link.error().message, HasSubstr("gpu9"));
}

}  // namespace
}  // namespace ringside::stage
