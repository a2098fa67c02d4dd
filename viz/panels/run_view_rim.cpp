// Ranks too many for boxes: a piece of the rim each, from the inner edge outwards the chunks, each
// as bright as it is complete: so many have no colours of their own. One picture, painted anew when
// something was committed.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "viz/panels/commits.hpp"
#include "viz/panels/run_view.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Point;
using stage::Rim;

/// Which pixels of the picture show which slot: as long as the rim stays where it is.
struct Map {
  struct Pixel {
    std::uint32_t at, band;  // counted over all ranks
  };
  Point centre, radius;
  std::vector<Rank> order;
  std::uint32_t chunks = 0, bands = 0;  ///< neighbouring chunks share one where it would be thin
  int step = 1;                         ///< of the screen's pixels, one of the picture's
  int width = 0, height = 0;
  std::vector<Pixel> pixels;
};

class Picturing {
 public:
  Picturing(const RunView& view, const stage::Scene& scene)
      : view_(view), scene_(scene), run_(view.run) {}

  void draw(ImDrawList& list, Map& map, Commits& commits) const {
    const Rim& rim = scene_.rim;
    const Point corner = rim.centre() - rim.radius();
    if (!fits(map)) measure_out(map);
    const Look& look = view_.panel.look;
    const std::uint64_t version = commits.by(run_, view_.now) << 1 | (look.colour.is_dark ? 1 : 0);
    const ImTextureID texture =
        look.texture({view_.is_rival ? "rim.rival" : "rim", version, map.width, map.height,
                      [&](std::span<ImU32> pixels) { paint(map, pixels); }});
    hang_up(texture, map, corner, list);
  }

 private:
  /// Only the rim of the picture: the hole in it would cost as much as all the rest.
  static void hang_up(ImTextureID texture, const Map& map, Point corner, ImDrawList& list) {
    constexpr int pieces = 48;
    constexpr double out = 1.004, in = 0.99 * Rim::inner;  // edges of the pieces are straight
    const Point size{double(map.width * map.step), double(map.height * map.step)};
    const auto at = [&](int piece, double share) {
      const double angle = 2 * std::numbers::pi * piece / pieces;
      return map.centre +
             share * Point{map.radius.x * std::cos(angle), map.radius.y * std::sin(angle)};
    };
    const auto uv = [&](Point p) {
      return to_screen(Point{(p.x - corner.x) / size.x, (p.y - corner.y) / size.y});
    };
    for (int i = 0; i < pieces; ++i) {
      const Point a = at(i, out), b = at(i + 1, out), c = at(i + 1, in), d = at(i, in);
      list.AddImageQuad(texture, to_screen(a), to_screen(b), to_screen(c), to_screen(d), uv(a),
                        uv(b), uv(c), uv(d));
    }
  }
  bool fits(const Map& map) const {
    return map.centre == scene_.rim.centre() && map.radius == scene_.rim.radius() &&
           map.order == scene_.rim_order && map.chunks == run_.schedule->chunks();
  }
  void measure_out(Map& map) const {
    constexpr double most_pixels = 1.2e6;
    const Rim& rim = scene_.rim;
    map = {};
    map.centre = rim.centre();
    map.radius = rim.radius();
    map.order = scene_.rim_order;
    map.chunks = run_.schedule->chunks();
    const double thin = (1 - Rim::inner) * rim.radius().y / 2.5;
    map.bands = std::clamp(static_cast<std::uint32_t>(thin), 1u, std::max(1u, map.chunks));
    map.step =
        static_cast<int>(std::ceil(std::sqrt(4 * rim.radius().x * rim.radius().y / most_pixels)));
    map.width = static_cast<int>(std::ceil(2 * rim.radius().x / map.step));
    map.height = static_cast<int>(std::ceil(2 * rim.radius().y / map.step));
    const Point corner = rim.centre() - rim.radius();
    for (int y = 0; y < map.height; ++y)
      for (int x = 0; x < map.width; ++x) {
        const auto spot = rim.at(corner + double(map.step) * Point{x + 0.5, y + 0.5});
        if (!spot || spot->is_gap) continue;
        const auto band =
            std::min(map.bands - 1, static_cast<std::uint32_t>(spot->depth * double(map.bands)));
        map.pixels.push_back({static_cast<std::uint32_t>(y * map.width + x),
                              scene_.rim_order[spot->piece].value * map.bands + band});
      }
  }
  /// Of the chunks that share a band, the mean of how complete they are.
  float share(Rank rank, const Map& map, std::uint32_t band) const {
    const std::uint64_t chunks = map.chunks;
    const auto first = static_cast<std::uint32_t>(band * chunks / map.bands),
               end = static_cast<std::uint32_t>((band + 1) * chunks / map.bands);
    std::uint64_t parts = 0;
    for (ChunkId c{first}; c.value < end; ++c.value)
      parts += run_.story->count(run_.timeline->shown(rank, c, view_.now).parts);
    return static_cast<float>(parts) /
           static_cast<float>(std::max<std::uint64_t>(1, end - first) * run_.story->complete());
  }
  void paint(const Map& map, std::span<ImU32> pixels) const {
    std::vector<ImU32> colours(std::size_t{run_.ranks()} * map.bands);
    for (Rank r{0}; r.value < run_.ranks(); ++r.value)
      for (std::uint32_t band = 0; band < map.bands; ++band)
        colours[r.value * map.bands + band] = rim_colour(share(r, map, band), view_.panel.look);
    for (const Map::Pixel& pixel : map.pixels) pixels[pixel.at] = colours[pixel.band];
  }

  const RunView& view_;
  const stage::Scene& scene_;
  const stage::StagedRun& run_;
};

/// Over its edges, which are pixels: smooth ones.
void smooth(const RunView& view, const Rim& rim, ImDrawList& list) {
  constexpr int pieces = 128;
  for (const double share : {Rim::inner, 1.0}) {
    for (int i = 0; i < pieces; ++i) {
      const double angle = 2 * std::numbers::pi * i / pieces;
      list.PathLineTo(to_screen(rim.centre() + share * Point{rim.radius().x * std::cos(angle),
                                                             rim.radius().y * std::sin(angle)}));
    }
    list.PathStroke(view.panel.look.colour.page, ImDrawFlags_Closed, view.panel.look.unit / 4);
  }
}

/// Around the inside: every so many ranks a number.
void number(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const Look& look = view.panel.look;
  const auto count = static_cast<std::uint32_t>(scene.rim_order.size());
  std::uint32_t every = 4;
  while (count / every > 16) every *= 2;
  const double depth = -0.55;
  for (std::uint32_t i = 0; i < count; i += every) {
    const ImVec2 at = to_screen(scene.rim.on(i, depth));
    const std::string text = std::to_string(scene.rim_order[i].value);
    write(list, {at.x, at.y - measure(look.small, "0").y / 2},
          {look.small, look.colour.quiet, 0.5f}, text.c_str());
  }
}

/// Pieces that are pointed at, selected, or where the proof fails.
void outline(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const stage::Model& model = view.panel.model;
  const Palette& colour = view.panel.look.colour;
  const auto hovered = model.hover.slot ? std::optional(model.hover.slot->rank) : model.hover.rank;
  for (std::uint32_t i = 0; i < scene.rim_order.size(); ++i) {
    const Rank rank = scene.rim_order[i];
    const bool wrong =
        !view.run.violations.empty() && view.run.violations.front().slot.rank == rank;
    const bool chosen = !view.is_rival && model.selected.rank == rank;
    if (!wrong && !chosen && hovered != rank) continue;
    draw_path(list, scene.rim.outline(i),
              wrong    ? colour.bad
              : chosen ? colour.accent
                       : colour.focus,
              view.panel.look.unit * 0.3f);
  }
}

}  // namespace

void draw_rim(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  if (scene.rim.is_empty()) return;
  static std::array<Map, 2> maps;
  static std::array<Commits, 2> commits;
  const std::size_t side = view.is_rival ? 1 : 0;
  Picturing(view, scene).draw(list, maps[side], commits[side]);
  smooth(view, scene.rim, list);
  number(view, scene, list);
  outline(view, scene, list);
}

}  // namespace ringside::panels::detail

namespace ringside::panels {

ImU32 rim_colour(float share, const Look& look) {
  const auto mixed = [](ImU32 from, ImU32 to, float u) {
    ImVec4 a = ImGui::ColorConvertU32ToFloat4(from);
    const ImVec4 b = ImGui::ColorConvertU32ToFloat4(to);
    a = {a.x + (b.x - a.x) * u, a.y + (b.y - a.y) * u, a.z + (b.z - a.z) * u, 1};
    return ImGui::ColorConvertFloat4ToU32(a);
  };
  const Palette& colour = look.colour;
  constexpr float complete = 0.999f;
  if (share >= complete) return mixed(colour.good, colour.ink, colour.is_dark ? 0.55f : 0.4f);
  return mixed(colour.trough, colour.good, 0.9f * std::sqrt(share));
}

}  // namespace ringside::panels
