#pragma once

#include <string>
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

/// Every code point the window can show, sorted: ASCII, all words in both languages, and signs.
std::vector<ImWchar> code_points();
/// Of those, which `font` cannot show.
std::vector<ImWchar> missing_glyphs(const ImFont& font);

/// Fills the atlas with the look's five fonts at its scale; figures are of one width, so that
/// running numbers stand still. 16 px of em square is the smallest text at scale 1.
void build_fonts(ImFontAtlas& atlas, const FontFiles& files, Look& look);

}  // namespace ringside::panels
