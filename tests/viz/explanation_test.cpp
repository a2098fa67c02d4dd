// Where the time went, as people read it: short, and not a picosecond lost.

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/units.hpp"
#include "tests/viz/command.hpp"
#include "viz/terminal/fold.hpp"

namespace ringside::terminal {
namespace {

using ::testing::HasSubstr;

/// Folds a word, a letter a thing: `3(ab)c` for abababc.
std::string folded(const std::string& word) {
  std::string text;
  std::size_t at = 0;
  for (const Fold& f :
       fold(word.size(), [&](std::size_t a, std::size_t b) { return word[a] == word[b]; })) {
    EXPECT_EQ(f.begin, at) << "no gap, no overlap in " << word;
    at = f.end();
    const auto once = word.substr(f.begin, f.period);
    text += f.times == 1 ? once : std::to_string(f.times) + "(" + once + ")";
  }
  EXPECT_EQ(at, word.size()) << word;
  return text;
}

TEST(Fold, SaysOnceWhatRepeats) {
  EXPECT_EQ(folded(""), "");
  EXPECT_EQ(folded("a"), "a");
  EXPECT_EQ(folded("aa"), "aa") << "twice is as short as it is";
  EXPECT_EQ(folded("aaa"), "3(a)");
  EXPECT_EQ(folded("abababc"), "3(ab)c");
  EXPECT_EQ(folded("xaaaabbbbx"), "x4(a)4(b)x");
  EXPECT_EQ(folded("aaaaaaaaa"), "9(a)") << "not 3(aaa)";
  EXPECT_EQ(folded("abcabcabcab"), "3(abc)ab");
  EXPECT_EQ(folded("abcdefghabcdefghabcdefgh"), "3(abcdefgh)");
}

/// Picoseconds of the first number in a line: six decimals of microseconds.
std::int64_t time_in(const std::string& line) {
  return std::llround(std::stold(line.substr(1)) * 1e6L);
}

struct Explained {
  std::int64_t in_all = 0, shares = 0, path = 0;  ///< picoseconds
  std::size_t lines = 0;
};

/// The one explanation in what simulate printed.
Explained explanation(const std::string& out) {
  Explained found;
  bool began = false, in_path = false;
  for (const auto& line : lines(out)) {
    if (line.find("where the time goes") != std::string::npos) {
      EXPECT_FALSE(began) << "one explanation at a time:\n" << out;
      began = true;
      continue;
    }
    if (!began) continue;
    ++found.lines;
    if (line.find("in all, along this path") != std::string::npos) {
      in_path = true;
      found.in_all = time_in(line);
    } else if (line.substr(0, 18).find('.') != std::string::npos) {
      (in_path ? found.path : found.shares) += time_in(line);
    }
  }
  return found;
}

TEST(Explanation, AddsUpToThePicosecond) {
  for (const std::string words :
       {"--system ring --ranks 8 --algorithm ring -b 64M -e 64M",
        "--system ring --ranks 64 --algorithm ring -b 1000003 -e 1000003 --jitter 5%:3",
        "--system ring --ranks 6 --slow gpu3->gpu4=3x -b 1M -e 1M",
        "--system dgx-h100 --nodes 2 --algorithm double_binary_tree -b 1M -e 1M",
        "--system dgx-h100 --nodes 2 --algorithm bidirectional_ring -b 1M -e 1M",
        "--system pcie-2socket --algorithm hierarchical -b 1M -e 1M --straggler 2=100us",
        "--system star --ranks 9 --algorithm direct -b 7M -e 7M --model stream",
        "--system ring --ranks 3 -b 0 -e 0"}) {
    const auto ran = run("simulate --explain " + words);
    ASSERT_EQ(ran.status, 0) << words << ran.err;
    const auto found = explanation(ran.out);
    const auto json =
        nlohmann::json::parse(run("simulate --explain --json " + words).out)["results"][0];
    EXPECT_EQ(found.in_all, std::llround(json["time_us"].get<double>() * 1e6)) << words;
    EXPECT_EQ(found.shares, found.in_all) << words;
    EXPECT_EQ(found.path, found.in_all) << words << "\n" << ran.out;
    EXPECT_LE(found.lines, 80u) << words;
    std::int64_t terms = 0;
    for (const std::string term : json["critical_path"])
      terms += std::llround(std::stold(term.substr(term.find("): ") + 3)) * 1e6L);
    EXPECT_EQ(terms, found.in_all) << words << ": in JSON";
  }
}

TEST(Explanation, OfAlikeStepsIsTwoLines) {
  const auto ran = run("simulate --system ring --algorithm ring -b 64M -e 64M --explain");
  EXPECT_THAT(ran.out, HasSubstr("along this path:\n"
                                 "#      4711.620480 us  14 times 336.54432 us, the last in step "
                                 "13, rank 0 -> 1; the first:\n"
                                 "#                       step 0, rank 3 -> 4: 335.54432 us wire "
                                 "gpu3->gpu4 + 1 us latency\n"));
  EXPECT_EQ(explanation(ran.out).lines, 5u) << ran.out;
}

TEST(Explanation, CountsTheMiddleOfALongPath) {
  const auto ran =
      run("simulate --system ring --ranks 64 --algorithm ring -b 1M -e 1M --jitter 5%:3 --explain");
  EXPECT_THAT(ran.out, HasSubstr(" us  ... 102 transfers more (--json has them all) ...\n"));
}

}  // namespace
}  // namespace ringside::terminal
