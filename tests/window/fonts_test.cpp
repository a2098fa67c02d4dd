// Letters: every word of both languages can be shown, and figures stand still.

#include <gmock/gmock.h>

#include "viz/panels/fonts.hpp"

namespace ringside::panels {
namespace {

class Fonts : public testing::TestWithParam<float> {
 protected:
  Fonts() {
    look_.scale = GetParam();
    build_fonts(atlas_, files_, look_);
  }
  void SetUp() override {
    if (files_.regular.empty() || files_.fallbacks.empty())
      GTEST_SKIP() << "no fonts here: apt-get install fonts-inter fonts-wqy-microhei";
  }
  FontFiles files_ = find_fonts();
  Look look_;
  ImFontAtlas atlas_;
};

TEST_P(Fonts, HaveEveryGlyphThatWordsUse) {
  for (const ImFont* font : {look_.small, look_.body, look_.strong, look_.title})
    for (const ImWchar missing : missing_glyphs(*font))
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

TEST(CodePoints, AreThoseOfTheWords) {
  const auto points = code_points();
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
  for (const ImWchar needed : {u'A', u'9', u'步', u'µ', u'→'})
    EXPECT_TRUE(std::binary_search(points.begin(), points.end(), needed)) << needed;
}

}  // namespace
}  // namespace ringside::panels
