// Chunks on their way: a chip with its number and, below, whose parts it carries.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/panels/run_view.hpp"

namespace ringside::panels::detail {
namespace {

enum class Size { full, label, dot, speck };

constexpr std::size_t most_trails = 32;  // more would blur, and cost as much as all the rest

/// One size for a whole run: chips that grew and shrank would distract.
Size size_for(const stage::StagedRun& run, const stage::Scene& scene, float unit) {
  const auto ranks = run.ranks();
  // Of a rank's box, in units that grow with the chips.
  const double box = scene.ranks.empty() ? 0 : scene.ranks.front().width * 8 / unit;
  if (scene.crowd <= 16 && ranks <= 12 && box > 84) return Size::full;
  if (scene.crowd <= 24 && ranks <= 20 && box > 50) return Size::label;
  return scene.crowd <= 128 && ranks <= 64 ? Size::dot : Size::speck;
}

class Chips {
 public:
  Chips(const RunView& view, const stage::Scene& scene, ImDrawList& list)
      : view_(view),
        scene_(scene),
        list_(list),
        look_(view.panel.look),
        run_(view.run),
        size_(size_for(run_, scene, look_.unit)) {}

  void draw() {
    const auto flights = run_.timeline->under_way(view_.now);
    if (flights.size() <= most_trails)
      for (const auto& flight : flights) trail(flight);
    for (const auto& flight : flights) chip(flight);
  }

 private:
  void trail(const stage::UnderWay& flight);
  void chip(const stage::UnderWay& flight);
  void ticks(const stage::UnderWay& flight, const Corner& box);
  ChunkId chunk(TransferId id) const { return run_.story->chunk(run_.story->cargo(id).parts); }
  float px(float at_one) const { return at_one * look_.unit / 8; }

  const RunView& view_;
  const stage::Scene& scene_;
  ImDrawList& list_;
  const Look& look_;
  const stage::StagedRun& run_;
  Size size_;
};

void Chips::trail(const stage::UnderWay& flight) {
  if (size_ == Size::speck) return;
  constexpr int pieces = 6;
  constexpr double reach = 0.16;
  for (int i = 1; i <= pieces; ++i) {
    const double back = std::max(0.0, flight.progress - reach * i / pieces);
    const float alpha = 0.30f * (1 - static_cast<float>(i) / (pieces + 1));
    const float radius = px(size_ == Size::dot ? 5.f : 9.f) * (1 - 0.09f * static_cast<float>(i));
    list_.AddCircleFilled(to_screen(scene_.at(flight.id, eased(back))), radius,
                          chunk_colour(chunk(flight.id), alpha), 12);
  }
}

void Chips::chip(const stage::UnderWay& flight) {
  const ImVec2 at = to_screen(scene_.at(flight.id, eased(flight.progress)));
  const ChunkId first = chunk(flight.id);
  const auto& hover = view_.panel.model.hover;
  const bool hot = hover.transfer == flight.id || hover.chunk == first;
  if (size_ == Size::dot || size_ == Size::speck) {
    const float radius = px(size_ == Size::dot ? 6.f : 3.5f) * (hot ? 1.6f : 1);
    list_.AddCircleFilled(at, radius, chunk_colour(first), size_ == Size::dot ? 16 : 8);
    if (size_ == Size::dot)
      list_.AddCircle(at, radius, with_alpha(look_.colour.page, 0.8f), 16, 1.5f);
    return;
  }
  const auto chunks = run_.schedule->transfers()[flight.id.value].chunks();
  const std::string label = chunks == 1
                                ? fmt::format("c{}", first.value)
                                : fmt::format("c{}–{}", first.value, first.value + chunks - 1);
  const ImVec2 words = measure(look_.small, label.c_str());
  const float ticks_height = size_ == Size::full ? px(10) : 0;
  const ImVec2 half{std::max(px(21), words.x / 2 + px(6)), (words.y + px(4) + ticks_height) / 2};
  const Corner box{{std::round(at.x - half.x), std::round(at.y - half.y)},
                   {std::round(at.x + half.x), std::round(at.y + half.y)}};
  list_.AddRectFilled({box.min.x - 2, box.min.y - 2}, {box.max.x + 2, box.max.y + 2},
                      with_alpha(look_.colour.page, 0.75f), px(6));
  fill_chunk(list_, box, first);
  if (first.value >= 8) {
    const float x = (box.min.x + box.max.x) / 2;
    list_.AddRectFilled({x - words.x / 2 - 3, box.min.y + px(1)},
                        {x + words.x / 2 + 3, box.min.y + words.y + px(2)}, chunk_colour(first), 3);
  }
  write(list_, {(box.min.x + box.max.x) / 2, box.min.y + px(1)},
        {look_.small, chunk_ink(first), 0.5f}, label.c_str());
  if (size_ == Size::full) ticks(flight, box);
  if (run_.story->repeats(run_.story->cargo(flight.id).parts))
    list_.AddRect(box.min, box.max, look_.colour.bad, px(3), 0, px(3));
  if (hot) list_.AddRect(box.min, box.max, look_.colour.focus, px(3), 0, px(2));
}

void Chips::ticks(const stage::UnderWay& flight, const Corner& box) {
  const auto parts = run_.story->cargo(flight.id).parts;
  const auto ranks = static_cast<float>(run_.ranks());
  const float pitch = (box.max.x - box.min.x - px(8)) / ranks;
  const ImU32 ink = chunk_ink(run_.story->chunk(parts));
  for (std::uint32_t r = 0; r < run_.ranks(); ++r) {
    const float x = box.min.x + px(4) + static_cast<float>(r) * pitch;
    list_.AddRectFilled({x, box.max.y - px(9)}, {x + pitch * 0.72f, box.max.y - px(3)},
                        with_alpha(ink, run_.story->contains(parts, {r}) ? 1.f : 0.22f));
  }
}

}  // namespace

void draw_chips(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  Chips(view, scene, list).draw();
}

}  // namespace ringside::panels::detail
