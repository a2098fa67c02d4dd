#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace ringside::figure {

/// Colours of everything in a figure but the chunks.
struct Theme {
  std::string_view page, panel, box, edge, trough;  ///< surfaces, from the back to the front
  std::string_view ink, quiet, faint;               ///< text, and lines
  std::string_view wire, good, bad;
  bool is_dark;
};

/// `dark` or `light`.
Result<const Theme*> find_theme(std::string_view name);

/// Chunk colours: Okabe & Ito, "Color Universal Design" (2008), told apart with any colour vision;
/// beyond eight the same again, hatched; beyond `distinct_chunks` all repeat.
inline constexpr std::uint32_t distinct_chunks = 64;
std::string_view chunk_colour(ChunkId chunk);         ///< of its eight, for what is small
std::string chunk_fill(ChunkId chunk);                ///< for `fill=`: a colour, or a hatch of defs
std::string_view chunk_ink(ChunkId chunk);            ///< legible on it
std::string hatch_definitions(std::uint32_t chunks);  ///< the hatches that so many chunks need

/// The style sheet: font sizes s13 .. s30, weights, and one class a colour of the theme.
std::string style_sheet(const Theme& theme);

}  // namespace ringside::figure
