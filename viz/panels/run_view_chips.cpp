// Chunks on their way: a chip with its number and, below, whose parts it carries.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "viz/panels/run_view.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Chip;
using stage::ChipSize;

constexpr std::size_t most_trails = 32;  // more would blur, and cost as much as all the rest

class Chips {
 public:
  Chips(const RunView& view, const stage::Scene& scene, ImDrawList& list)
      : view_(view), scene_(scene), list_(list), look_(view.panel.look), run_(view.run) {}

  void draw() {
    auto all = stage::chips_at(run_, scene_, view_.now);
    std::erase_if(
        all, [&](const Chip& chip) { return stage::is_to_come(view_.panel.model, run_, chip.id); });
    const auto chips = seen(std::move(all));
    if (chips.size() <= most_trails)
      for (const Chip& chip : chips) trail(chip);
    for (const Chip& chip : chips) {
      if (scene_.chip_size == ChipSize::full || scene_.chip_size == ChipSize::label)
        card(chip);
      else
        dot(chip);
    }
    if (scene_.chip_size == ChipSize::dot) count(chips);
  }

 private:
  std::vector<Chip> seen(std::vector<Chip> chips) const;
  void trail(const Chip& chip);
  void dot(const Chip& chip);
  void count(const std::vector<Chip>& chips);
  void card(const Chip& chip);
  void ticks(const Chip& chip, const Corner& box);
  ChunkId chunk(const Chip& chip) const {
    return run_.story->chunk(run_.story->cargo(chip.id).parts);
  }
  bool is_hot(const Chip& chip) const {
    const auto& hover = view_.panel.model.hover;
    return hover.transfer == chip.id || hover.chunk == chunk(chip);
  }
  float px(float at_one) const { return at_one * look_.unit / 8; }

  const RunView& view_;
  const stage::Scene& scene_;
  ImDrawList& list_;
  const Look& look_;
  const stage::StagedRun& run_;
};

/// Of very many one at every place: thousands ride on the same wires.
std::vector<Chip> Chips::seen(std::vector<Chip> chips) const {
  constexpr std::size_t few = 600;
  if (chips.size() <= few) return chips;
  const stage::Box& region = scene_.region;
  const double cell = std::max(2.0, scene_.chip.x / 2);
  const auto columns = static_cast<std::size_t>(region.width / cell) + 1,
             rows = static_cast<std::size_t>(region.height / cell) + 1;
  std::vector<bool> taken(columns * rows);
  std::erase_if(chips, [&](const Chip& chip) {
    const double x = (chip.at.x - region.x) / cell, y = (chip.at.y - region.y) / cell;
    const auto at = std::min(static_cast<std::size_t>(std::max(0.0, y)), rows - 1) * columns +
                    std::min(static_cast<std::size_t>(std::max(0.0, x)), columns - 1);
    const bool covered = taken[at] && !is_hot(chip);
    taken[at] = true;
    return covered;
  });
  return chips;
}

/// Where it was a moment ago, fading.
void Chips::trail(const Chip& chip) {
  if (scene_.chip_size == ChipSize::speck || chip.progress <= 0) return;
  constexpr int pieces = 10;
  const auto& way = scene_.ways[scene_.way_of[chip.id.value]];
  const stage::Point aside = chip.at - way.at(chip.progress);
  const double reach = std::min(chip.progress, 0.14);
  const float width = static_cast<float>(std::min(scene_.chip.x, scene_.chip.y)) * 0.42f;
  const ChunkId of = chunk(chip);
  stage::Point last = chip.at;
  for (int i = 1; i <= pieces; ++i) {
    const stage::Point at = way.at(chip.progress - reach * i / pieces) + aside;
    const float fade = 1 - static_cast<float>(i) / (pieces + 1);
    list_.AddLine(to_screen(last), to_screen(at), chunk_colour(of, 0.45f * fade * fade),
                  width * (0.35f + 0.65f * fade));
    last = at;
  }
}

void Chips::dot(const Chip& chip) {
  const float radius = static_cast<float>(scene_.chip.x) / 2 * (is_hot(chip) ? 1.6f : 1);
  const ImVec2 at = to_screen(chip.at);
  if (scene_.chip_size == ChipSize::speck) {
    list_.AddRectFilled({at.x - radius, at.y - radius}, {at.x + radius, at.y + radius},
                        chunk_colour(chunk(chip)));
    return;
  }
  list_.AddCircleFilled(at, radius + px(1.5f), with_alpha(look_.colour.page, 0.8f), 16);
  list_.AddCircleFilled(at, radius, chunk_colour(chunk(chip)), 16);
}

/// Channels that are as fast as each other ride in one place: how many they are.
void Chips::count(const std::vector<Chip>& chips) {
  std::map<std::pair<long, long>, int> heaps;
  for (const Chip& chip : chips) ++heaps[{std::lround(chip.at.x), std::lround(chip.at.y)}];
  for (const auto& [place, many] : heaps) {
    if (many == 1) continue;
    const std::string text = std::to_string(many);
    const ImVec2 size = measure(look_.small, text.c_str());
    const ImVec2 at{static_cast<float>(place.first), static_cast<float>(place.second)};
    list_.AddCircleFilled(at, size.x / 2 + px(5), look_.colour.ink, 24);
    write(list_, {at.x, at.y - size.y / 2}, {look_.small, look_.colour.page, 0.5f}, text.c_str());
  }
}

void Chips::card(const Chip& chip) {
  const ChunkId first = chunk(chip);
  const auto chunks = run_.schedule->transfers()[chip.id.value].chunks();
  const std::string label = chunks == 1
                                ? fmt::format("c{}", first.value)
                                : fmt::format("c{}–{}", first.value, first.value + chunks - 1);
  Corner box = to_screen(stage::Box::around(chip.at, scene_.chip.x, scene_.chip.y));
  box = {{std::round(box.min.x), std::round(box.min.y)},
         {std::round(box.max.x), std::round(box.max.y)}};
  list_.AddRectFilled({box.min.x - px(2), box.min.y - px(2)},
                      {box.max.x + px(2), box.max.y + px(2)}, with_alpha(look_.colour.page, 0.85f),
                      px(5));
  fill_chunk(list_, box, first);
  const ImVec2 words = measure(look_.small, label.c_str());
  const float x = (box.min.x + box.max.x) / 2;
  const float y = scene_.chip_size == ChipSize::full ? box.min.y + px(1)
                                                     : (box.min.y + box.max.y - words.y) / 2;
  if (first.value >= 8)  // no hatch behind the number
    list_.AddRectFilled({x - words.x / 2 - px(3), y}, {x + words.x / 2 + px(3), y + words.y},
                        chunk_colour(first), px(3));
  write(list_, {x, y}, {look_.small, chunk_ink(first), 0.5f}, label.c_str());
  if (scene_.chip_size == ChipSize::full) ticks(chip, box);
  if (run_.story->repeats(run_.story->cargo(chip.id).parts))
    list_.AddRect(box.min, box.max, look_.colour.bad, px(3), 0, px(3));
  if (is_hot(chip)) list_.AddRect(box.min, box.max, look_.colour.focus, px(3), 0, px(2));
}

void Chips::ticks(const Chip& chip, const Corner& box) {
  const auto parts = run_.story->cargo(chip.id).parts;
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
