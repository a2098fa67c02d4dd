#include "core/suggest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ringside {
namespace {

constexpr std::array<std::string_view, 7> known{
    "all_reduce", "all_gather", "reduce_scatter", "ring", "tree", "halving_doubling", "dgx-h100"};

TEST(Suggest, FindsWhatWasMeant) {
  const std::pair<const char*, const char*> slips[] = {
      {"all_redcue", "all_reduce"},
      {"allreduce", "all_reduce"},
      {"All-Reduce", "all_reduce"},
      {"ALL GATHER", "all_gather"},
      {"rign", "ring"},
      {"tre", "tree"},
      {"halving", "halving_doubling"},
      {"h100", "dgx-h100"},
      {"DGX_H100", "dgx-h100"},
      {"ring", "ring"},
      {"binary_tree_of_two", "tree"},
  };
  for (const auto& [text, meant] : slips) EXPECT_EQ(nearest(text, known), meant) << text;
}

TEST(Suggest, OneIsNotMany) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(2, "row"), "2 rows");
  EXPECT_EQ(plural(1, "pair"), "pair");
}

TEST(Suggest, DoesNotGuessWildly) {
  for (const char* text : {"", "x", "banana", "all_", "zzzz", "e"})
    EXPECT_EQ(nearest(text, known), "") << text;
  EXPECT_EQ(nearest("ring", {}), "");
}

TEST(Suggest, SentenceNamesTheGuessOrTheWholeList) {
  EXPECT_EQ(unknown("algorithm", "rign", known),
            "there is no algorithm \"rign\"; did you mean ring?");
  const auto list = unknown("algorithm", "banana", known);
  for (const auto name : known) EXPECT_NE(list.find(name), std::string::npos);
}

TEST(Suggest, HostileTextIsCutAndHarmless) {
  EXPECT_EQ(in_quotes("a\x1b[31m\n\x7f"), "\"a?[31m??\"");
  const std::string huge(10'000'000, 'r');
  EXPECT_LT(unknown("algorithm", huge, known).size(), 300u);
  EXPECT_NE(in_quotes(huge).find("...\""), std::string::npos);
  EXPECT_EQ(in_quotes("日本"), "\"日本\"");
}

}  // namespace
}  // namespace ringside
