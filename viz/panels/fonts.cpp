#include "viz/panels/fonts.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <filesystem>

namespace ringside::panels {
namespace {

// Beside what the words say: what panels compose, and what faces from elsewhere may lack.
constexpr const char* signs =
    "·×÷±≤≥≈∞→←↑↓↔⇒…–—‘’“”µμαβ✓✗▶◀●○■□▲▼"
    ""
    "℃"
    "°"
    "²"
    "³"
    "½";

struct Face {
  const char *regular, *semibold;
  float height_per_em;
};
constexpr Face faces[] = {
    {"opentype/inter/Inter-Regular.otf", "opentype/inter/Inter-SemiBold.otf", 1.2102f},
    {"truetype/inter/Inter-Regular.ttf", "truetype/inter/Inter-SemiBold.ttf", 1.2102f},
    {"truetype/noto/NotoSans-Regular.ttf", "truetype/noto/NotoSans-SemiBold.ttf", 1.362f},
    {"truetype/dejavu/DejaVuSans.ttf", "truetype/dejavu/DejaVuSans-Bold.ttf", 1.1641f},
    {"truetype/liberation/LiberationSans-Regular.ttf",
     "truetype/liberation/LiberationSans-Bold.ttf", 1.149f},
};
constexpr const char* fallback_faces[] = {
    "truetype/wqy/wqy-microhei.ttc", "truetype/wqy/wqy-zenhei.ttc",
    "opentype/noto/NotoSansCJK-Regular.ttc", "truetype/droid/DroidSansFallbackFull.ttf",
    "truetype/dejavu/DejaVuSans.ttf"};
constexpr const char* roots[] = {"/usr/share/fonts/", "/usr/local/share/fonts/"};

std::string installed(const char* path) {
  std::error_code ignored;
  for (const char* root : roots)
    if (const auto whole = std::string(root) + path; std::filesystem::exists(whole, ignored))
      return whole;
  return {};
}

void add_code_points(std::string_view text, std::vector<ImWchar>& points) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    const int more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    unsigned point = more == 0 ? lead : lead & (0x3fu >> more);
    for (int i = 0; i < more && at < text.size(); ++i)
      point = point << 6 | (static_cast<unsigned char>(text[at++]) & 0x3fu);
    if (point >= ' ' && point <= IM_UNICODE_CODEPOINT_MAX)  // what breaks lines is not drawn
      points.push_back(static_cast<ImWchar>(point));
  }
}

/// The widest figure's advance.
float figure_width(const std::string& file, float size, const Glyphs& glyphs) {
  ImFontAtlas atlas;
  const ImFont* font = atlas.AddFontFromFileTTF(file.c_str(), size, nullptr, glyphs.figures());
  atlas.Build();
  float widest = 0;
  for (const char* digit : {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"})
    widest = std::max(widest, font->CalcTextSizeA(size, FLT_MAX, 0, digit).x);
  return std::round(widest);
}

struct Size {
  float em;
  bool is_semibold, has_chinese;
};

ImFont* add_font(ImFontAtlas& atlas, const FontFiles& files, const Glyphs& glyphs,
                 const Size& how) {
  constexpr float large = 40;  // pixels from which sub-pixel positions are not seen
  const std::string& file = how.is_semibold ? files.semibold : files.regular;
  const float size = std::round(how.em * files.height_per_em);
  ImFontConfig config;
  config.OversampleH = size > large ? 1 : 2;
  config.OversampleV = 1;
  ImFont* font = atlas.AddFontFromFileTTF(file.c_str(), size, &config, glyphs.others());
  config.MergeMode = true;
  config.GlyphMinAdvanceX = config.GlyphMaxAdvanceX = figure_width(file, size, glyphs);
  atlas.AddFontFromFileTTF(file.c_str(), size, &config, glyphs.figures());
  config.GlyphMinAdvanceX = 0;
  config.GlyphMaxAdvanceX = FLT_MAX;
  config.OversampleH = 1;
  if (how.has_chinese)
    for (const auto& other : files.fallbacks)
      atlas.AddFontFromFileTTF(other.c_str(), size, &config, glyphs.others());
  return font;
}

}  // namespace

FontFiles find_fonts() {
  FontFiles files;
  for (const Face& face : faces) {
    files.regular = installed(face.regular);
    if (files.regular.empty()) continue;
    files.semibold = installed(face.semibold);
    if (files.semibold.empty()) files.semibold = files.regular;
    files.height_per_em = face.height_per_em;
    break;
  }
  for (const char* face : fallback_faces)
    if (auto path = installed(face); !path.empty()) files.fallbacks.push_back(std::move(path));
  return files;
}

Glyphs::Glyphs(std::string_view texts) {
  for (ImWchar c = ' '; c <= '~'; ++c) points_.push_back(c);
  add_code_points(signs, points_);
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(stage::Word::count); ++i)
    for (const auto language : {stage::Language::english, stage::Language::chinese})
      add_code_points(say(static_cast<stage::Word>(i), language), points_);
  add_code_points(texts, points_);
  std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  for (const ImWchar point : points_) {
    auto& list = point >= '0' && point <= '9' ? figures_ : others_;
    if (!list.empty() && list.back() + 1 == point)
      list.back() = point;
    else
      list.insert(list.end(), {point, point});
  }
  figures_.push_back(0);
  others_.push_back(0);
}

std::vector<ImWchar> missing_glyphs(const ImFont& font, const Glyphs& glyphs) {
  std::vector<ImWchar> missing;
  for (const ImWchar point : glyphs.points())
    if (font.FindGlyphNoFallback(point) == nullptr) missing.push_back(point);
  return missing;
}

void build_fonts(ImFontAtlas& atlas, const FontFiles& files, const Glyphs& glyphs, Look& look) {
  atlas.Clear();
  if (files.regular.empty()) {
    look.small = look.body = look.strong = look.title = look.huge = atlas.AddFontDefault();
    look.prose = look.prose_strong = look.body;
  } else {
    const float s = look.scale;
    look.body = add_font(atlas, files, glyphs, {17 * s, false, true});  // the first is ImGui's own
    look.small = add_font(atlas, files, glyphs, {16 * s, false, true});
    look.strong = add_font(atlas, files, glyphs, {17 * s, true, true});
    look.title = add_font(atlas, files, glyphs, {22 * s, true, true});
    constexpr float large = 3;  // an atlas of more would be too large for many GPUs
    look.prose = s > large ? look.body : add_font(atlas, files, glyphs, {20 * s, false, true});
    look.prose_strong =
        s > large ? look.strong : add_font(atlas, files, glyphs, {20 * s, true, true});
    look.huge = add_font(atlas, files, glyphs, {40 * s, true, false});
  }
  atlas.Build();
}

}  // namespace ringside::panels
