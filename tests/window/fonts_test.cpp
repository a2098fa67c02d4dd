// Letters: every word of both languages can be shown, and figures stand still.

#include <gmock/gmock.h>

#include "viz/panels/fonts.hpp"

namespace ringside::panels {
namespace {

class Fonts : public testing::TestWithParam<float> {
 protected:
  Fonts() {
    look_.scale = GetParam();
    build_fonts(atlas_, files_, glyphs_, look_);
  }
  void SetUp() override {
    if (files_.regular.empty() || files_.fallbacks.empty())
      GTEST_SKIP() << "no fonts here: apt-get install fonts-inter fonts-wqy-microhei";
  }
  FontFiles files_ = find_fonts();
  Glyphs glyphs_;
  Look look_;
  ImFontAtlas atlas_;
};

TEST_P(Fonts, HaveEveryGlyphThatWordsUse) {
  for (const ImFont* font : {look_.small, look_.body, look_.strong, look_.title})
    for (const ImWchar missing : missing_glyphs(*font, glyphs_))
      ADD_FAILURE() << "no glyph for U+" << std::hex << missing;
}

TEST_P(Fonts, HaveFiguresOfOneWidth) {
  for (ImFont* font : {look_.small, look_.body, look_.strong, look_.title, look_.huge})
    for (const char* figures : {"1", "2", "4", "7", "8"})
      EXPECT_EQ(measure(font, figures).x, measure(font, "0").x) << figures;
}

TEST_P(Fonts, AreAsLargeAsTheLookPromises) {
  // Dear ImGui's size is from the top of the highest to the foot of the lowest letter.
  EXPECT_GE(measure(look_.small, "x").y, 16 * GetParam());
  EXPECT_GT(measure(look_.huge, "x").y, 2 * measure(look_.body, "x").y);
}

INSTANTIATE_TEST_SUITE_P(AtScale, Fonts, testing::Values(0.75f, 1.f, 2.f));

TEST(CodePoints, AreThoseOfTheWordsAndOfTheTexts) {
  const auto has = [](const Glyphs& glyphs, ImWchar point) {
    return std::ranges::binary_search(glyphs.points(), point);
  };
  const Glyphs bare, taught("第一课：鸡蛋\n");
  EXPECT_TRUE(std::ranges::is_sorted(taught.points()));
  for (const ImWchar needed : {u'A', u'9', u'步', u'µ', u'→'})
    for (const Glyphs* glyphs : {&bare, &taught}) EXPECT_TRUE(has(*glyphs, needed)) << needed;
  EXPECT_FALSE(has(bare, u'鸡'));
  EXPECT_TRUE(has(taught, u'鸡'));
  EXPECT_FALSE(has(taught, u'\n'));
}

}  // namespace
}  // namespace ringside::panels
