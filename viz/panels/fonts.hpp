#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viz/panels/look.hpp"

namespace ringside::panels {

/// Where this machine's fonts are: a text face in two weights, and what it lacks taken from others
/// (Chinese, then signs).
struct FontFiles {
  std::string regular, semibold;
  std::vector<std::string> fallbacks;
  /// Pixels that Dear ImGui calls the size of a font, for one pixel of its em square.
  float height_per_em = 1;
};
/// Inter if it is installed, else DejaVu, else whatever is first. `regular` is empty if this
/// machine has no font at all: Dear ImGui's own then does, without Chinese.
FontFiles find_fonts();

/// What fonts are to show: ASCII, signs, all words in both languages, and what `texts` are written
/// with, such as lessons. Must outlive the atlas that is built from it.
class Glyphs {
 public:
  explicit Glyphs(std::string_view texts = {});
  const std::vector<ImWchar>& points() const { return points_; }  ///< sorted
  // As Dear ImGui takes them: pairs of first and last, then 0.
  const ImWchar* figures() const { return figures_.data(); }
  const ImWchar* others() const { return others_.data(); }

 private:
  std::vector<ImWchar> points_, figures_, others_;
};
/// Of those, which `font` cannot show.
std::vector<ImWchar> missing_glyphs(const ImFont& font, const Glyphs& glyphs);

/// Fills the atlas with the look's five fonts at its scale; figures are of one width, so that
/// running numbers stand still. 16 px of em square is the smallest text at scale 1.
void build_fonts(ImFontAtlas& atlas, const FontFiles& files, const Glyphs& glyphs, Look& look);

}  // namespace ringside::panels
