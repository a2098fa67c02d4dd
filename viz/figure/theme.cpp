#include "viz/figure/theme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/suggest.hpp"

namespace ringside::figure {
namespace {

constexpr Theme dark{.page = "#14171b",
                     .panel = "#1a1e24",
                     .box = "#22272f",
                     .edge = "#3a414c",
                     .trough = "#2d333c",
                     .ink = "#eef1f4",
                     .quiet = "#a3abb5",
                     .faint = "#3a424d",
                     .wire = "#0aa47a",
                     .good = "#2fc197",
                     .bad = "#f0743e",
                     .is_dark = true};
constexpr Theme light{.page = "#ffffff",
                      .panel = "#f4f5f7",
                      .box = "#ffffff",
                      .edge = "#b9c0c9",
                      .trough = "#e6e9ed",
                      .ink = "#171a1f",
                      .quiet = "#555e69",
                      .faint = "#cdd3da",
                      .wire = "#00805f",
                      .good = "#00795a",
                      .bad = "#b84300",
                      .is_dark = false};

struct ChunkColour {
  std::string_view fill, ink;
};
// Okabe & Ito's black is a grey here: black is a surface of the dark theme.
constexpr std::array<ChunkColour, 8> palette{{{"#e69f00", "#101214"},
                                              {"#56b4e9", "#101214"},
                                              {"#009e73", "#101214"},
                                              {"#f0e442", "#101214"},
                                              {"#0072b2", "#ffffff"},
                                              {"#d55e00", "#101214"},
                                              {"#cc79a7", "#101214"},
                                              {"#9ba1a8", "#101214"}}};

// One tile of 6 x 6 a hatch; the first eight chunks have none.
constexpr std::array<std::string_view, 7> hatches{"M-1,1 1,-1 M0,6 6,0 M5,7 7,5",
                                                  "M-1,5 1,7 M0,0 6,6 M5,-1 7,1",
                                                  "M3,0 V6",
                                                  "M0,3 H6",
                                                  "M0,0 6,6 M0,6 6,0",
                                                  "M3,0 V6 M0,3 H6",
                                                  "M0,1.5 H6 M0,4.5 H6"};

const ChunkColour& colour(ChunkId chunk) {
  return palette[chunk.value % palette.size()];
}

}  // namespace

Result<const Theme*> find_theme(std::string_view name) {
  static constexpr std::string_view names[] = {"dark", "light"};
  if (name == names[0]) return &dark;
  if (name == names[1]) return &light;
  return bad_request(unknown("theme", name, names));
}

std::string_view chunk_colour(ChunkId chunk) {
  return colour(chunk).fill;
}

std::string chunk_fill(ChunkId chunk) {
  chunk.value %= distinct_chunks;
  if (chunk.value < palette.size()) return std::string(colour(chunk).fill);
  return fmt::format("url(#c{})", chunk.value);
}

std::string_view chunk_ink(ChunkId chunk) {
  return colour(chunk).ink;
}

std::string hatch_definitions(std::uint32_t chunks) {
  std::string text;
  for (ChunkId c{palette.size()}; c.value < std::min(chunks, distinct_chunks); ++c.value)
    text += fmt::format(
        "<pattern id=\"c{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
        "<rect width=\"6\" height=\"6\" fill=\"{}\"/>"
        "<path d=\"{}\" stroke=\"{}\" stroke-opacity=\"0.45\" fill=\"none\"/></pattern>\n",
        c.value, colour(c).fill, hatches[c.value / palette.size() - 1], colour(c).ink);
  return text;
}

std::string style_sheet(const Theme& theme) {
  std::string text = fmt::format(
      "text{{font-family:Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',"
      "'Noto Sans',sans-serif;fill:{}}}\n",
      theme.ink);
  for (const int size : {13, 14, 15, 17, 20, 28, 34})
    text += fmt::format(".s{0}{{font-size:{0}px}}", size);
  text += "\n.b{font-weight:600}.m{text-anchor:middle}.e{text-anchor:end}";
  text += fmt::format(".quiet{{fill:{}}}.good{{fill:{}}}.bad{{fill:{}}}\n", theme.quiet, theme.good,
                      theme.bad);
  return text;
}

}  // namespace ringside::figure
