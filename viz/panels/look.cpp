#include "viz/panels/look.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

namespace ringside::panels {
namespace {

struct ChunkColour {
  ImU32 fill, ink;
};
constexpr ImU32 rgb(std::uint32_t hex) {
  return IM_COL32(hex >> 16, hex >> 8 & 0xff, hex & 0xff, 0xff);
}
constexpr ImU32 dark_ink = rgb(0x101214), light_ink = rgb(0xffffff);
// Okabe & Ito's black is a grey here: black is a surface of the dark theme.
constexpr std::array<ChunkColour, 8> okabe_ito{{{rgb(0xe69f00), dark_ink},
                                                {rgb(0x56b4e9), dark_ink},
                                                {rgb(0x009e73), dark_ink},
                                                {rgb(0xf0e442), dark_ink},
                                                {rgb(0x0072b2), light_ink},
                                                {rgb(0xd55e00), dark_ink},
                                                {rgb(0xcc79a7), dark_ink},
                                                {rgb(0x9ba1a8), dark_ink}}};
const ChunkColour& colour_of(ChunkId chunk) {
  return okabe_ito[chunk.value % okabe_ito.size()];
}

/// Parallel lines of one hatch: x * nx + y * ny = every multiple of the pitch.
struct Strokes {
  float nx, ny;
  float pitch;
};
/// Rounds of eight chunks: the first has none.
constexpr std::array<std::array<Strokes, 2>, 8> hatches{{{{{0, 0, 0}, {0, 0, 0}}},
                                                         {{{1, 1, 6}, {0, 0, 0}}},
                                                         {{{1, -1, 6}, {0, 0, 0}}},
                                                         {{{1, 0, 6}, {0, 0, 0}}},
                                                         {{{0, 1, 6}, {0, 0, 0}}},
                                                         {{{1, 1, 8}, {1, -1, 8}}},
                                                         {{{1, 0, 6}, {0, 1, 6}}},
                                                         {{{0, 1, 3}, {0, 0, 0}}}}};

/// The lines' parts inside the box, worked out: a clip rectangle would cost a draw call each.
void stroke(ImDrawList& list, const Corner& box, const Strokes& how, ImU32 colour) {
  const ImVec2 size{box.max.x - box.min.x, box.max.y - box.min.y};
  const float least = std::min(0.f, how.ny * size.y);
  const float most = std::max(how.nx * size.x + how.ny * size.y, how.nx * size.x);
  const float first = std::ceil(least / how.pitch) * how.pitch + how.pitch / 2;
  const int lines = static_cast<int>(std::ceil((most - first) / how.pitch));
  for (int line = 0; line < lines; ++line) {
    const float k = first + static_cast<float>(line) * how.pitch;
    if (how.nx == 0) {
      list.AddLine({box.min.x, box.min.y + k}, {box.max.x, box.min.y + k}, colour);
    } else if (how.ny == 0) {
      list.AddLine({box.min.x + k, box.min.y}, {box.min.x + k, box.max.y}, colour);
    } else {  // x = k - y * ny, from y0 to y1 where that is within the box
      const float at_left = k / how.ny, at_right = (k - size.x) / how.ny;
      const float y0 = std::clamp(std::min(at_left, at_right), 0.f, size.y);
      const float y1 = std::clamp(std::max(at_left, at_right), 0.f, size.y);
      if (y1 > y0)
        list.AddLine({box.min.x + k - y0 * how.ny, box.min.y + y0},
                     {box.min.x + k - y1 * how.ny, box.min.y + y1}, colour);
    }
  }
}

double luminance(ImU32 colour) {
  const auto channel = [&](int shift) {
    const double c = static_cast<double>(colour >> shift & 0xff) / 255;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(IM_COL32_R_SHIFT) + 0.7152 * channel(IM_COL32_G_SHIFT) +
         0.0722 * channel(IM_COL32_B_SHIFT);
}

float pixels(const ImFont& font) {
#if IMGUI_VERSION_NUM >= 19200
  return font.LegacySize;
#else
  return font.FontSize;
#endif
}

}  // namespace

ImU32 with_alpha(ImU32 colour, float alpha) {
  const auto a = static_cast<float>(colour >> IM_COL32_A_SHIFT & 0xff);
  const auto scaled = static_cast<ImU32>(std::lround(a * std::clamp(alpha, 0.f, 1.f)));
  return (colour & ~IM_COL32_A_MASK) | scaled << IM_COL32_A_SHIFT;
}

double contrast(ImU32 a, ImU32 b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

ImU32 mixed(ImU32 from, ImU32 to, float share) {
  const ImVec4 a = ImGui::ColorConvertU32ToFloat4(from), b = ImGui::ColorConvertU32ToFloat4(to);
  const auto mix = [&](float x, float y) { return x + (y - x) * share; };
  return ImGui::ColorConvertFloat4ToU32(
      {mix(a.x, b.x), mix(a.y, b.y), mix(a.z, b.z), mix(a.w, b.w)});
}

ImU32 legible(ImU32 colour, ImU32 ground) {
  constexpr double enough = 4.5;
  constexpr int steps = 20;
  const ImU32 end = contrast(dark_ink, ground) > contrast(light_ink, ground) ? dark_ink : light_ink;
  for (int i = 0; i < steps; ++i)
    if (const ImU32 tried = mixed(colour, end, float(i) / steps); contrast(tried, ground) >= enough)
      return tried;
  return end;
}

ImU32 chunk_colour(ChunkId chunk, float alpha) {
  return with_alpha(colour_of(chunk).fill, alpha);
}

ImU32 chunk_ink(ChunkId chunk) {
  return colour_of(chunk).ink;
}

void fill_chunk(ImDrawList& list, const Corner& box, ChunkId chunk, float alpha) {
  constexpr float smallest_round = 12, smallest_hatched = 5;
  const float width = box.max.x - box.min.x, height = box.max.y - box.min.y;
  const float least = std::min(width, height);
  list.AddRectFilled(box.min, box.max, chunk_colour(chunk, alpha), least < smallest_round ? 0 : 3);
  if (least < smallest_hatched) return;
  const ImU32 ink = with_alpha(chunk_ink(chunk), 0.45f * alpha);
  for (const Strokes& strokes : hatches[chunk.value / okabe_ito.size() % hatches.size()])
    if (strokes.pitch > 0) stroke(list, box, strokes, ink);
}

void hatch(ImDrawList& list, const Corner& box, ImU32 colour, float pitch) {
  stroke(list, box, {1, 1, pitch}, colour);
}

void draw_dashes(ImDrawList& list, ImVec2 from, ImVec2 to, const Dashes& how) {
  const ImVec2 way{to.x - from.x, to.y - from.y};
  const float length = std::hypot(way.x, way.y), pitch = how.dash + how.gap;
  const auto at = [&](float along) {
    const float share = std::min(along / length, 1.f);
    return ImVec2{from.x + share * way.x, from.y + share * way.y};
  };
  const int dashes = static_cast<int>(std::ceil(length / pitch));
  for (int i = 0; i < dashes; ++i) {
    const float begin = static_cast<float>(i) * pitch;
    list.AddLine(at(begin), at(begin + how.dash), how.colour, how.thickness);
  }
}

ImVec2 measure(ImFont* font, const char* text) {
  return font->CalcTextSizeA(pixels(*font), FLT_MAX, 0, text);
}

ImVec2 write(ImDrawList& list, ImVec2 at, const Text& how, const char* text) {
  const ImVec2 size = measure(how.font, text);
  const ImVec2 corner{std::round(at.x - size.x * how.align), std::round(at.y)};
  list.AddText(how.font, pixels(*how.font), corner, how.colour, text);
  if (Drawn* all = drawn(); all != nullptr && all->keeps_texts) {
    const Corner box{corner, {corner.x + size.x, corner.y + size.y}};
    const ImVec2 low = list.GetClipRectMin(), high = list.GetClipRectMax();
    const bool is_seen =
        box.min.x < high.x && box.max.x > low.x && box.min.y < high.y && box.max.y > low.y;
    if (is_seen) all->texts.push_back({box, text});
  }
  return size;
}

}  // namespace ringside::panels
