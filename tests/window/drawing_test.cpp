// What is written and drawn on the screen, where and when.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <regex>

#include "tests/window/script.hpp"
#include "viz/stage/words.hpp"

namespace ringside::window {
namespace {

using panels::Corner;
using stage::Word;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

/// A text as `read` finds it on the screen.
struct Written {
  float x = 0, y = 0, width = 0, height = 0;
  std::string text;
  bool is_in(const Corner& area) const {
    constexpr float slack = 1;
    return x >= area.min.x - slack && y >= area.min.y - slack && x + width <= area.max.x + slack &&
           y + height <= area.max.y + slack;
  }
};

class Drawing : public Scripted {
 protected:
  std::vector<Written> read(const std::string& name) const {
    std::vector<Written> all;
    std::ifstream lines(at(name));
    for (Written w; lines >> w.x >> w.y >> w.width >> w.height;) {
      lines.get();
      std::getline(lines, w.text);
      all.push_back(w);
    }
    EXPECT_FALSE(all.empty()) << name;
    return all;
  }
  std::vector<std::string> texts(const std::string& name) const {
    std::vector<std::string> all;
    for (const Written& w : read(name)) all.push_back(w.text);
    return all;
  }
  /// Lines that were broken, joined again.
  std::string joined(const std::string& name, const Corner& area) const {
    std::string all;
    for (const Written& w : read(name))
      if (w.is_in(area)) all += w.text;
    return all;
  }
  /// How many pixels differ within an area.
  std::size_t difference_in(const Corner& area, const char* a, const char* b) const {
    sf::Image first, second;
    if (!first.loadFromFile(at(a).string()) || !second.loadFromFile(at(b).string())) return 0;
    std::size_t count = 0;
    for (auto y = static_cast<unsigned>(area.min.y); y < static_cast<unsigned>(area.max.y); ++y)
      for (auto x = static_cast<unsigned>(area.min.x); x < static_cast<unsigned>(area.max.x); ++x)
        count += first.getPixel(x, y) != second.getPixel(x, y);
    return count;
  }
};

std::string say(Word word) {
  return stage::say(word, stage::Language::english);
}
std::string zh(Word word) {
  return stage::say(word, stage::Language::chinese);
}

TEST_F(Drawing, TheHeadingSaysTheStepAndItsHalf) {
  // A ring of four: step s lasts a sixth of the run.
  std::string lines;
  const char* const steps[] = {"1st", "2nd", "3rd", "4th", "5th", "6th"};
  for (int s = 0; s < 6; ++s)
    lines += "seek " + std::to_string(8 + 100 * s / 6) + "%\nread at" + std::to_string(s) + "\n";
  play(lines + "key End\nread end\nkey L\nread end_zh\nkey X\nwait\nkey End\nread wrong\n");
  for (int s = 0; s < 6; ++s)
    EXPECT_THAT(texts("at" + std::to_string(s)),
                Contains(std::string(s < 3 ? "Reduce-scatter" : "All-gather") +
                         " · s = " + std::to_string(s) + " (" + steps[s] + " of 6)"))
        << s;
  EXPECT_THAT(texts("end"),
              AllOf(Contains(say(Word::finished)), Contains(say(Word::finished_right))));
  EXPECT_THAT(texts("end_zh"),
              AllOf(Contains(zh(Word::finished)), Contains(zh(Word::finished_right))));
  EXPECT_THAT(texts("wrong"), Contains(zh(Word::finished_wrong)));
}

/// A state of the window in which words have little room.
struct Cramped {
  const char* flags;
  const char* lines;
};
const Cramped cramped[] = {
    {"--size 1280x720", "key V\n"},
    {"--size 800x600", ""},
    {"--size 1280x720 --theme projector", "key R\n"},
    {"--size 1280x720 --theme projector --lang zh", "key A\n"},
    {"--size 1920x1080 --ui-scale 2", ""},
    {"--size 1920x1080 --ui-scale 3 --lang zh", ""},
    {"--size 1280x720 --ranks 2", ""},
    {"--size 1280x720 --ranks 16", "key R\nset rival.algorithm star\n"},
    {"--size 1280x720 --system dgx-h100 --nodes 2", ""},
};

TEST_F(Drawing, NoWordsLieOnOthersOrLeaveTheWindow) {
  const std::regex chip("c[0-9]+(–[0-9]+)?");  // on their ways they pass over what is there
  for (const auto& [flags, lines] : cramped) {
    SCOPED_TRACE(std::string(flags) + "\n" + lines);
    std::ofstream(at("script")) << lines << "wait\nseek 47%\nframes 3\nread now\nshot now.png\n";
    ASSERT_EQ(run(std::string("view --script script --exit ") + flags).status, 0);
    const auto window = png_size(at("now.png"));
    std::vector<Written> all;
    for (const Written& w : read("now"))
      if (!std::regex_match(w.text, chip)) all.push_back(w);
    for (const Written& a : all) {
      EXPECT_GE(a.x, 0) << a.text;
      EXPECT_LE(a.x + a.width, float(window.width)) << a.text;
      for (const Written& b : all) {
        if (&a == &b) break;
        const float wide = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
        const float high = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
        // Lines may touch: no letter fills its line.
        EXPECT_FALSE(wide > 1 && high > 0.35f * std::min(a.height, b.height))
            << a.text << " and " << b.text;
      }
    }
  }
}

TEST_F(Drawing, ChunksInOnePlaceAreCounted) {
  const char* told = std::getenv("RINGSIDE_SHARED_DATA");
  const std::filesystem::path data = told != nullptr ? told : RINGSIDE_SOURCE_DIR "/../shared/data";
  const auto file = data / "msccl_xml/03_azure_ncv4_ar_hier_12_Simple.xml";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << "no ../shared/data and no RINGSIDE_SHARED_DATA: nothing to read";
  // Its 24 channels send 48 chunks by four ways.
  play("seek 40%\nread heaps\n", "--schedule '" + std::filesystem::canonical(file).string() + "'");
  EXPECT_EQ(std::ranges::count(texts("heaps"), "12"), 4);
  EXPECT_THAT(texts("heaps"), Contains(say(Word::dots_are_chunks)));
}

TEST_F(Drawing, AGhostStandsWhereChunksWereAndIsExplained) {
  play(
      "key G\nset bandwidth 12GB/s\nseek 30%\nread with\nshot with.png\nkey G\nkey G\nread "
      "without\n"
      "shot without.png\n");
  EXPECT_THAT(texts("with"), Contains(say(Word::ghost_is_before)));
  EXPECT_THAT(texts("without"), Not(Contains(say(Word::ghost_is_before))));
  EXPECT_GT(difference_in(places().space_time, "with.png", "without.png"), 50u);
  // Outlines, not chunks: on the stage too, but far less than a chunk's area each.
  Corner stage = places().stage;
  stage.max.y -= 60;  // the legend
  const auto changed = difference_in(stage, "with.png", "without.png");
  EXPECT_GT(changed, 100u);
  EXPECT_LT(changed, 4000u);
}

TEST_F(Drawing, FaultsAreBadgesWhereTheyWereMade) {
  play(
      "shot sound.png\nselect link gpu0->gpu1\nkey S\nselect none\nread slow\nkey Backspace\n"
      "select rank 2\nkey W\nselect none\nread late\nkey Backspace\nwait\nset system mesh\n"
      "select link gpu0->gpu1\nselect none\nshot mesh.png\nread mesh\nselect link gpu0->gpu1\n"
      "key D\nselect none\nshot dead.png\nread dead\n");
  const auto box = [&](const char* name, const char* gpu) {
    for (const Written& w : read(name))
      if (w.text == gpu && w.is_in(places().stage)) return w;
    ADD_FAILURE() << gpu << " is not on the stage of " << name;
    return Written{};
  };
  const auto near_to = [](const Written& w, float x, float y) {
    return std::hypot(w.x + w.width / 2 - x, w.y + w.height / 2 - y);
  };
  constexpr float near = 120;  // a wire is bent, and the badge beside it
  const auto badge = [&](const char* name, const std::string& text, float x, float y) {
    return std::ranges::any_of(read(name), [&](const Written& w) {
      return w.text.starts_with(text) && w.is_in(places().stage) && near_to(w, x, y) < near;
    });
  };
  const Written a = box("slow", "GPU 0"), b = box("slow", "GPU 1"), c = box("late", "GPU 2");
  EXPECT_TRUE(badge("slow", "×4", (a.x + b.x) / 2, (a.y + b.y) / 2)) << "the link's middle";
  EXPECT_FALSE(badge("late", "×4", (a.x + b.x) / 2, (a.y + b.y) / 2)) << "it was repaired";
  EXPECT_TRUE(badge("late", "+", c.x, c.y));
  EXPECT_THAT(texts("slow"), Contains(say(Word::badge_is_slow)));
  EXPECT_THAT(texts("late"), Contains(say(Word::badge_is_late)));
  EXPECT_THAT(texts("dead"), Contains(say(Word::cross_is_dead)));
  EXPECT_THAT(texts("mesh"), Not(Contains(say(Word::cross_is_dead))));
  EXPECT_GT(difference_in(places().stage, "mesh.png", "dead.png"), 100u);
}

TEST_F(Drawing, ACurvesTipIsAPointOfItsCurve) {
  const Corner chart = places().side;
  std::string lines = "key E\nframes 1\n";
  constexpr int tries = 8;
  for (int i = 0; i < tries; ++i)
    lines += mouse("move", chart, 0.45f, 0.2f + 0.08f * static_cast<float>(i)) +
             "\nframes 2\nread tip" + std::to_string(i) + "\n";
  play(lines);
  const std::string table = contents(at("ringside-1.csv"));
  const std::regex shape("(\\w+)   ([0-9.]+ \\w+)   ([0-9.]+) (s|ms|µs|us|ns)");
  int tips = 0;
  for (int i = 0; i < tries; ++i)
    for (const auto& text : texts("tip" + std::to_string(i))) {
      std::smatch tip;
      if (!std::regex_match(text, tip, shape)) continue;
      ++tips;
      const auto size = parse_bytes(std::regex_replace(tip[2].str(), std::regex(" "), ""));
      ASSERT_TRUE(size) << text;
      EXPECT_THAT(table, HasSubstr("\n" + std::to_string(size->count) + "," + tip[1].str() + ","))
          << text;
    }
  EXPECT_GT(tips, 0);
}

TEST_F(Drawing, RanksAreCalledWhatTheTraceSaysTheyAre) {
  ASSERT_EQ(run("run --backend host --ranks 3 -b 6K -e 6K -n 1 -w 0 --trace t.json").status, 0);
  const std::string trace = contents(at("t.json"));
  const auto as = [&](const std::string& name, const std::string& backend,
                      const std::string& devices) {
    std::string text = trace;
    const auto found = text.find("\"host/");
    ASSERT_NE(found, std::string::npos);
    text.replace(found, text.find('"', found + 1) + 1 - found, "\"" + backend + "\"" + devices);
    std::ofstream(at(name + ".json")) << text;
    play("read " + name + "\nkey L\nread zh_" + name + "\n", "--trace " + name + ".json");
  };
  as("threads", "host/ranks", "");
  as("processes", "mpi/messages", "");
  as("gpus", "cuda/streams", ", \"devices\": [0, 1, 2]");
  as("others", "cuda/streams", ", \"devices\": [4, 5, 6]");
  as("shared", "cuda/kernel", ", \"devices\": [0, 0, 1]");
  for (const char* name : {"threads", "processes", "others", "shared"}) {
    EXPECT_THAT(texts(name), AllOf(Contains("rank 0"), Contains("rank 2"))) << name;
    EXPECT_THAT(texts(name), Each(Not(HasSubstr("GPU 0")))) << name;
    EXPECT_THAT(texts(name), Each(Not(HasSubstr("gpu0")))) << name;
  }
  EXPECT_THAT(texts("gpus"), AllOf(Contains("GPU 0"), Contains("GPU 2"), Not(Contains("rank 0"))));
  const Corner column = places().controls;
  EXPECT_THAT(joined("threads", column), HasSubstr("a rank is a CPU thread"));
  EXPECT_THAT(joined("processes", column), HasSubstr("a rank is a process"));
  EXPECT_THAT(joined("others", column),
              AllOf(HasSubstr("recorded on GPUs"), Not(HasSubstr("share"))));
  EXPECT_THAT(joined("shared", column), HasSubstr("3 virtual ranks share 2"));
  EXPECT_THAT(joined("zh_threads", column), HasSubstr("线程"));
  EXPECT_THAT(joined("zh_shared", column), HasSubstr("3 个虚拟 rank 共用 2 块"));
}

TEST_F(Drawing, ARefusalSaysWhatWasAskedForInTheWindowsLanguage) {
  play(
      "set ranks nonsense\nread en\nkey L\nread zh\nkey Escape\nread gone\nkey S\nread own_zh\n"
      "key L\nread own\nkey Escape\nopen ring?ranks=0\nread opened\nkey Escape\n"
      "set bytes 4T\nwait\nkey H\nwait\nread here\n");
  const Corner column = places().controls;
  EXPECT_THAT(joined("en", column),
              AllOf(HasSubstr("asked for: Ranks = nonsense"), HasSubstr("nonsense")));
  EXPECT_THAT(joined("zh", column),
              AllOf(HasSubstr("想把“rank 数”设为“nonsense”"), HasSubstr("英文")));
  EXPECT_THAT(joined("gone", column), Not(HasSubstr("nonsense")));
  // What the window has words for is said in them, also when the language changes afterwards.
  EXPECT_THAT(joined("own_zh", column),
              AllOf(HasSubstr("请先选中一条链路"), Not(HasSubstr("英文"))));
  EXPECT_THAT(joined("own", column),
              AllOf(HasSubstr("Select a link first"), Not(HasSubstr("asked"))));
  EXPECT_THAT(joined("opened", column), HasSubstr("asked for: " + say(Word::key_paste)));
  EXPECT_THAT(joined("here", column), HasSubstr("asked for: run it here"));
}

TEST_F(Drawing, TheControlsFitInAProjectorsTheme) {
  ASSERT_EQ(run("run --ranks 8 -b 1M -e 1M -n 1 -w 0 --trace t.json").status, 0);
  for (const std::string flags :
       {"--ranks 8", "--system dgx-h100 --nodes 4", "--ranks 8 --beside --trace t.json"}) {
    for (const std::string language : {"en", "zh"}) {
      const auto words = [&](Word word) { return language == "en" ? say(word) : zh(word); };
      play("read what\nkey Tab\nframes 2\nkey Shift+Tab\nkey Shift+Tab\nframes 3\nread wires\n",
           fmt::format("{} --theme projector --lang {}", flags, language));
      for (const char* name : {"what", "wires"}) {
        std::vector<std::string> seen;
        float truth = 720;
        for (const Written& w : read(name))
          if (w.text == words(Word::section_truth)) truth = w.y;
        for (const Written& w : read(name))
          if (w.x < 260 && w.y + w.height <= truth) seen.push_back(w.text);
        EXPECT_THAT(seen,
                    AllOf(Contains(words(Word::section_what)), Contains(words(Word::section_on)),
                          Contains(words(Word::section_wires))))
            << flags << language << name;
      }
    }
  }
}

TEST_F(Drawing, NodesHaveNamesAtEverySize) {
  for (const std::string size : {"--ui-scale 1", "--ui-scale 2", "--theme projector"})
    for (const std::string nodes : {"2", "4"}) {
      play("seek 30%\nread a\n", fmt::format("--system dgx-h100 --nodes {} {}", nodes, size));
      for (int n = 0; n < std::stoi(nodes); ++n)
        EXPECT_THAT(texts("a"), Contains(testing::StartsWith("node " + std::to_string(n))))
            << size << nodes;
    }
}

}  // namespace
}  // namespace ringside::window
