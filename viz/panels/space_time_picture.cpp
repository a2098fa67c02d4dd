#include "viz/panels/space_time_picture.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace ringside::panels {
namespace {

/// Bars as pixels: a gap between rows where they are high enough, hatches from the ninth chunk on.
class Painter {
 public:
  Painter(const stage::StagedRun& run, const stage::SpaceTime& bars, const Field& field)
      : run_(run), bars_(bars), field_(field) {}

  void paint(std::span<ImU32> pixels, int width, int height) const {
    const double row = double(height) / bars_.rows();
    const double gap = row >= 6 ? 1 : 0;
    const double lane = (row - 2 * gap) / bars_.lanes();
    const stage::TimeAxis axis{field_.axis.window, 0, double(width)};
    for (std::uint32_t r = 0; r < bars_.rows(); ++r)
      for (const stage::Bar& bar : bars_.row(r)) {
        if (bar.arrival < axis.window.from) continue;
        if (bar.begin > axis.window.to) break;
        const double top = r * row + gap + bar.lane * lane;
        const int y0 = static_cast<int>(std::lround(top));
        const int y1 = std::max(y0 + 1, static_cast<int>(std::lround(top + lane)));
        const ChunkId chunk = run_.story->chunk(run_.story->cargo(bar.id).parts);
        const Stripe body{axis.x(bar.begin), axis.x(bar.read), y0, std::min(y1, height)};
        fill(pixels, width, body, chunk, 1);
        fill(pixels, width, {body.x1, axis.x(bar.arrival), y0, std::min(y1, height)}, chunk, 0.35f);
      }
  }

 private:
  struct Stripe {
    double x0, x1;
    int y0, y1;
  };
  static void fill(std::span<ImU32> pixels, int width, const Stripe& stripe, ChunkId chunk,
                   float alpha) {
    const int x0 = std::max(0, static_cast<int>(std::lround(stripe.x0)));
    int x1 = std::min(width, static_cast<int>(std::lround(stripe.x1)));
    // A hairline between bars that follow each other without a pause.
    if (x1 - x0 >= 5 && x1 < width) --x1;
    if (x1 <= x0) {
      if (alpha < 1 || x0 >= width) return;
      x1 = x0 + 1;
    }
    const ImU32 colour = chunk_colour(chunk, alpha), ink = with_alpha(chunk_ink(chunk), alpha);
    const bool hatched = chunk.value % 64 >= 8 && stripe.y1 - stripe.y0 >= 5 && x1 - x0 >= 5;
    for (int y = stripe.y0; y < stripe.y1; ++y)
      for (int x = x0; x < x1; ++x) {
        const bool line = hatched && is_hatch(chunk, x - x0, y - stripe.y0);
        pixels[static_cast<std::size_t>(y) * width + x] = line ? blend(colour, ink) : colour;
      }
  }
  /// As fill_chunk() draws it, in whole pixels.
  static bool is_hatch(ChunkId chunk, int x, int y) {
    switch (chunk.value / 8 % 8) {
      case 1:
        return (x + y) % 6 == 0;
      case 2:
        return (x - y + 6000) % 6 == 0;
      case 3:
        return x % 6 == 2;
      case 4:
        return y % 6 == 2;
      case 5:
        return (x + y) % 8 == 0 || (x - y + 8000) % 8 == 0;
      case 6:
        return x % 6 == 2 || y % 6 == 2;
      default:
        return y % 3 == 1;
    }
  }
  static ImU32 blend(ImU32 a, ImU32 b) {
    ImU32 mixed = a & IM_COL32_A_MASK;
    for (const int shift : {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT})
      mixed |= ((a >> shift & 0xff) * 55 + (b >> shift & 0xff) * 45) / 100 << shift;
    return mixed;
  }

  const stage::StagedRun& run_;
  const stage::SpaceTime& bars_;
  const Field& field_;
};

/// What a picture depends on; its version counts how often that changed.
struct Version {
  std::weak_ptr<const stage::Timeline> timeline;
  stage::TimeWindow window;
  bool is_dark = true;
  std::uint64_t count = 0;
};

}  // namespace

const stage::SpaceTime& space_time_of(const stage::StagedRun& run) {
  static std::weak_ptr<const stage::Timeline> of;
  static std::unique_ptr<const stage::SpaceTime> bars;
  if (!bars || of.lock() != run.timeline) {
    of = run.timeline;
    bars = std::make_unique<const stage::SpaceTime>(run);
  }
  return *bars;
}

stage::TimeWindow shown_window(const stage::Model& model) {
  if (model.window.to > model.window.from) return model.window;
  return {TimePoint{}, model.run ? model.run->time() : TimePoint{}};
}

void draw_bars(const Panel& panel, const stage::StagedRun& run, const Field& field,
               ImDrawList& list) {
  static Version version;
  const Palette& colour = panel.look.colour;
  if (version.timeline.lock() != run.timeline || version.window != field.axis.window ||
      version.is_dark != colour.is_dark)
    version = {run.timeline, field.axis.window, colour.is_dark, version.count + 1};
  const int width = static_cast<int>(field.box.max.x - field.box.min.x);
  const int height = static_cast<int>(field.box.max.y - field.box.min.y);
  if (width < 2 || height < 2) return;
  const Painter painter(run, space_time_of(run), field);
  const ImTextureID texture =
      panel.look.texture({"space_time", version.count, width, height,
                          [&](std::span<ImU32> pixels) { painter.paint(pixels, width, height); }});
  list.AddImage(
      texture, field.box.min,
      {field.box.min.x + static_cast<float>(width), field.box.min.y + static_cast<float>(height)});
}

}  // namespace ringside::panels
