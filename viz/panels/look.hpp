#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/ids.hpp"
#include "viz/panels/drawn.hpp"
#include "viz/stage/words.hpp"

namespace ringside::panels {

/// Colours of everything but the chunks, for one theme.
struct Palette {
  ImU32 page, panel, box, edge, trough;  ///< surfaces, from the back to the front
  ImU32 ink, quiet, faint;               ///< text, secondary text, hairlines
  ImU32 accent, good, bad, warn, focus;  ///< play button, proven, violation, refusal, hover
  bool is_dark = true;
};

/// A picture that changes seldom, such as a matrix of 65,536 cells: on the screen it is one quad.
struct Picture {
  std::string_view name;      ///< whose it is: the panel's, and which of its pictures
  std::uint64_t version = 0;  ///< painted anew only when this or the size has changed
  int width = 0, height = 0;  ///< in pixels
  std::function<void(std::span<ImU32> pixels)> paint;  ///< row by row from the top, all zero before
};

/// How things look: theme, fonts, scale and language. Sizes are in pixels, already scaled.
struct Look {
  Palette colour;
  /// Em squares of 16, 17, 17, 22 and 40 pixels at scale 1. All but huge have Chinese.
  ImFont *small = nullptr, *body = nullptr, *strong = nullptr, *title = nullptr, *huge = nullptr;
  /// What is read in whole sentences, in two weights: of 20, or as `body` where all is large.
  ImFont *prose = nullptr, *prose_strong = nullptr;
  float unit = 8;  ///< the grid: spacing comes in multiples
  float scale = 1;
  stage::Language language = stage::Language::english;
  std::function<ImTextureID(const Picture&)> texture;  ///< for ImDrawList::AddImage
  const char* say(stage::Word word) const { return stage::say(word, language); }
};

/// Chunk colours: Okabe & Ito, "Color Universal Design" (2008), told apart with any colour vision;
/// beyond eight the same again, hatched; beyond 64 all repeat.
ImU32 chunk_colour(ChunkId chunk, float alpha = 1);
ImU32 chunk_ink(ChunkId chunk);  ///< legible on it
ImU32 with_alpha(ImU32 colour, float alpha);
/// WCAG 2's contrast of two opaque colours, 1..21.
double contrast(ImU32 a, ImU32 b);
/// The colour for words on `ground`: itself, or towards black or white as far as it takes to be
/// read (4.5 to 1).
ImU32 legible(ImU32 colour, ImU32 ground);
ImU32 mixed(ImU32 from, ImU32 to, float share);

/// A chunk's rectangle: its colour and, from the ninth chunk on, its hatch.
void fill_chunk(ImDrawList& list, const Corner& box, ChunkId chunk, float alpha = 1);

/// Parallel lines that rise to the right, `pitch` apart; what lies outside the box is left out.
void hatch(ImDrawList& list, const Corner& box, ImU32 colour, float pitch);

/// A straight line of dashes, the first at `from`.
struct Dashes {
  ImU32 colour;
  float thickness = 1, dash = 3, gap = 3;
};
void draw_dashes(ImDrawList& list, ImVec2 from, ImVec2 to, const Dashes& how);

/// Text at a point, none of it by the cursor. `align`: 0 left, 0.5 middle, 1 right of `at.x`;
/// `at.y` is the top. Returns its size.
struct Text {
  ImFont* font;
  ImU32 colour;
  float align = 0;
};
ImVec2 write(ImDrawList& list, ImVec2 at, const Text& how, const char* text);
ImVec2 measure(ImFont* font, const char* text);

}  // namespace ringside::panels
