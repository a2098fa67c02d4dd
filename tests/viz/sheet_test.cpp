// The page that is printed: what stands on it is computed, and the same in both languages. (That
// docs/ has it as it is made today: figure_test.cpp.)

#include "viz/figure/sheet/sheet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/file.hpp"
#include "tests/viz/command.hpp"

namespace ringside::figure {
namespace {

struct Made {
  std::string text;
  pugi::xml_document document;
  std::vector<std::string> lines;       ///< all of every <text>, marks of emphasis gone
  std::map<std::string, int> elements;  ///< how many of each, but of the lines' own
};

void read_node(const pugi::xml_node& node, Made& made) {
  for (const auto& child : node.children()) {
    const std::string name = child.name();
    if (name == "text") {
      std::string line;
      for (const auto& part : child.select_nodes(".//text()")) line += part.node().value();
      made.lines.push_back(line);
    } else if (!name.empty()) {
      ++made.elements[name];
    }
    read_node(child, made);
  }
}

void make(stage::Language language, Made& made) {
  const auto svg = draw_sheet(language, "ringside export cheatsheet");
  ASSERT_TRUE(svg);
  made.text = *svg;
  ASSERT_TRUE(made.document.load_string(made.text.c_str()));
  read_node(made.document.child("svg"), made);
}

std::size_t count(const Made& made, const std::string& line) {
  return static_cast<std::size_t>(std::ranges::count(made.lines, line));
}

bool mentions(const Made& made, const std::string& words) {
  return std::ranges::any_of(
      made.lines, [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

TEST(Cheatsheet, IsAPageOfA4InBothLanguagesWithTheSamePictures) {
  Made english, chinese;
  make(stage::Language::english, english);
  make(stage::Language::chinese, chinese);
  for (const Made* made : {&english, &chinese}) {
    const auto svg = made->document.child("svg");
    EXPECT_STREQ(svg.attribute("width").value(), "210mm");
    EXPECT_STREQ(svg.attribute("height").value(), "297mm");
    EXPECT_STREQ(svg.child("desc").text().get(), "ringside export cheatsheet");
  }
  english.elements.erase("tspan"), chinese.elements.erase("tspan");  // emphasis over a line's end
  EXPECT_EQ(english.elements, chinese.elements);
  const auto is_chinese = [](const std::string& line) {
    return std::ranges::any_of(line, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte >= 0xE4 && byte <= 0xE9;
    });
  };
  EXPECT_TRUE(std::ranges::none_of(english.lines, is_chinese));
  EXPECT_GE(std::ranges::count_if(chinese.lines, is_chinese), 40);
  for (const char* term : {"全归约", "归约散发", "全收集", "广播", "全交换", "收集", "散发",
                           "递归倍增", "折半加倍", "二项树", "数据并行", "张量并行", "流水线并行"})
    EXPECT_TRUE(mentions(chinese, term)) << term;
}

TEST(Cheatsheet, ShowsWhatTheEngineMakesOfTheBuffers) {
  Made made;
  make(stage::Language::english, made);
  // All-reduce on four ranks and reduce on one; reduce-scatter leaves one chunk of each.
  EXPECT_EQ(count(made, "14"), 6u);
  EXPECT_EQ(count(made, "1400"), 6u);
  EXPECT_EQ(count(made, "14000"), 6u);
  // Root 1's vector: its own in broadcast and scatter, and every rank's and rank 3's afterwards;
  // in reduce, all-reduce and reduce-scatter rank 1's before, and in all-to-all before and after.
  EXPECT_EQ(count(made, "3000"), 1u + 4u + 1u + 1u + 3u + 2u);
  // All-gather: rank r's block is r + 2 in place r; gathered by one more rank.
  EXPECT_EQ(count(made, "5000"), 3u + 1u + 4u + 2u + 1u + 1u);
}

TEST(Cheatsheet, NamesCostsThatAreWorkedOutByHand) {
  Made made;
  make(stage::Language::english, made);
  for (const char* formula :
       {"2 α + 14 S/B", "6 α + 6 S/B", "3 α + 3 S/B", "6 α + 1.75 S/B", "14 α + 1.75 S/B"})
    EXPECT_EQ(count(made, formula), 1u) << formula;
  // Star = ring at αB·N(N-2)/(N-1)²; tree = ring at αB(N-1-L)/(L-(N-1)/N); doubling = ring.
  const double alpha_b = 5e-6 * 100e9 / 1e6;
  for (const double crossing :
       {alpha_b * 8 * 6 / 49, alpha_b * 4 / (3 - 7 / 8.), alpha_b * 11 / (3 - 14 / 8.)}) {
    std::ostringstream text;
    text.precision(3);
    text << crossing << " MB";
    EXPECT_EQ(count(made, text.str()), 1u) << text.str();
  }
  // ZeRO (Rajbhandari et al. 2020, figure 1) on 64 GPUs.
  EXPECT_TRUE(mentions(made, "120 GB"));
  EXPECT_TRUE(mentions(made, "31.4, 16.6, 1.9 GB"));
  // 18 links of 20.6 GB/s; a ring of eight carries 1.75 GB through each.
  EXPECT_EQ(count(made, "370.8"), 1u);
  EXPECT_EQ(count(made, "4.72 ms"), 1u);
}

TEST(Cheatsheet, TheRingSendsWhatItsRuleSays) {
  Made made;
  make(stage::Language::english, made);
  EXPECT_EQ(count(made, "✓"), 5u + 10 + 15 + 20 + 25) << "finished chunks after steps 3 to 7";
  for (int chunk = 0; chunk < 5; ++chunk)
    EXPECT_EQ(count(made, "c" + std::to_string(chunk)), 8u) << "every chunk moves in every step";
}

TEST(Cheatsheet, HasPdfsInDocs) {
  for (const char* language : {"en", "zh"}) {
    const auto pdf =
        read_file(std::string(RINGSIDE_SOURCE_DIR) + "/docs/cheatsheet." + language + ".pdf");
    ASSERT_TRUE(pdf);
    EXPECT_TRUE(pdf->starts_with("%PDF-"));
    EXPECT_NE(pdf->find("/MediaBox [ 0 0 595.27"), pdf->npos) << "A4";
    EXPECT_NE(pdf->find("/Count 1\n"), pdf->npos) << "one page";
    EXPECT_NE(pdf->find("/FontFile"), pdf->npos) << "brings its fonts along";
  }
}

TEST(Cheatsheet, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(terminal::run("export cheatshet --out x.svg").status, 2);
  EXPECT_EQ(terminal::run("export cheatsheet --lang fr --out x.svg").status, 2);
  EXPECT_EQ(terminal::run("export cheatsheet").status, 2);
}

}  // namespace
}  // namespace ringside::figure
