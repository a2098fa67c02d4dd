// What the marks on the stage mean, along its bottom.

#include "viz/panels/stage_legend.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace ringside::panels {
namespace {

using sim::LinkKind;
using stage::Word;

struct Item {
  std::function<void(ImDrawList&, const Corner&)> draw;
  std::string words;
};

Word word_of(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
      return Word::wire_nvlink;
    case LinkKind::xgmi:
      return Word::wire_xgmi;
    case LinkKind::c2c:
      return Word::wire_c2c;
    case LinkKind::pcie:
      return Word::wire_pcie;
    case LinkKind::socket:
      return Word::wire_socket;
    case LinkKind::memory:
      return Word::wire_memory;
    case LinkKind::ib:
      return Word::wire_ib;
    case LinkKind::roce:
      return Word::wire_roce;
    case LinkKind::ethernet:
      return Word::wire_ethernet;
    case LinkKind::generic:
      break;
  }
  return Word::wire_link;
}

float middle(const Corner& box) {
  return (box.min.y + box.max.y) / 2;
}

/// What is worth a place, the most needed first.
class Legend {
 public:
  /// `scene`: none is known while its height is asked for.
  Legend(const Panel& panel, const stage::StagedRun& run, const stage::Scene* scene)
      : panel_(panel), look_(panel.look), run_(run), scene_(scene) {
    // Not yet known: the longer words, which ranks on a rim need.
    contents(scene != nullptr ? !scene->rim.is_empty() : run.ranks() > stage::most_boxes);
    chips();
    experiments();
    wires();
  }

  float height(const Corner& area) const {
    const float lines = line_of(items_.size(), area).second;
    return std::min(lines, most_lines(area)) * pitch();
  }
  void draw(ImDrawList& list, const Corner& area) const {
    const float top = area.max.y - height(area);
    float x = area.min.x;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const auto [end, line] = line_of(i + 1, area);
      if (line > most_lines(area)) return;
      x = end - width(items_[i]);
      const float y = top + (line - 1) * pitch();
      const float text = measure(look_.small, "0").y, mark = 0.7f * text;
      items_[i].draw(list, {{x, y + (text - mark) / 2}, {x + swatch(), y + (text + mark) / 2}});
      write(list, {x + swatch() + look_.unit, y}, {look_.small, look_.colour.quiet},
            items_[i].words.c_str());
    }
  }

 private:
  /// The smaller the stage, the more of it is for the run.
  float most_lines(const Corner& area) const {
    return area.max.y - area.min.y > 58 * look_.unit ? 2 : 1;
  }
  /// Somebody sends more than one chunk in a step.
  bool may_share_a_place() const {
    return run_.schedule->transfers().size() >
           std::size_t{run_.schedule->steps()} * run_.schedule->participants();
  }
  float swatch() const { return 3.5f * look_.unit; }
  float pitch() const { return measure(look_.small, "0").y + look_.unit / 2; }
  float width(const Item& item) const {
    return swatch() + look_.unit + measure(look_.small, item.words.c_str()).x;
  }
  /// Where the last of `count` items ends, and in which line, from 1.
  std::pair<float, float> line_of(std::size_t count, const Corner& area) const {
    float x = area.min.x, line = 1;
    for (std::size_t i = 0; i < count; ++i) {
      const float gap = x == area.min.x ? 0 : 3 * look_.unit, wide = width(items_[i]);
      if (gap > 0 && x + gap + wide > area.max.x) {
        x = area.min.x + wide;
        ++line;
      } else {
        x += gap + wide;
      }
    }
    return {x, line};
  }
  void add(Word word, std::function<void(ImDrawList&, const Corner&)> draw) {
    items_.push_back({std::move(draw), look_.say(word)});
  }

  void contents(bool on_rim);
  void chips();
  void wires();
  void experiments();

  const Panel& panel_;
  const Look& look_;
  const stage::StagedRun& run_;
  const stage::Scene* scene_;
  std::vector<Item> items_;
};

/// What a rank holds.
void Legend::contents(bool on_rim) {
  const bool sums = reduces(run_.schedule->spec().kind);
  const ImU32 trough = look_.colour.trough;
  if (on_rim) {
    const Look* look = &look_;
    add(sums ? Word::rim_is_share : Word::rim_is_here, [=](ImDrawList& list, const Corner& box) {
      constexpr int steps = 5;
      const float step = (box.max.x - box.min.x) / steps;
      for (int i = 0; i < steps; ++i) {
        const float x = box.min.x + step * static_cast<float>(i);
        list.AddRectFilled({x, box.min.y}, {x + step, box.max.y},
                           rim_colour(static_cast<float>(i) / (steps - 1), *look));
      }
    });
    return;
  }
  add(sums ? Word::bar_is_share : Word::bar_is_here, [=](ImDrawList& list, const Corner& box) {
    const float step = (box.max.x - box.min.x) / 4;
    for (int i = 0; i < 4; ++i) {
      const float x = box.min.x + step * static_cast<float>(i), height = box.max.y - box.min.y;
      const float share = sums ? 0.25f * static_cast<float>(i + 1) : i % 2 == 0 ? 1.f : 0.f;
      list.AddRectFilled({x, box.min.y}, {x + step * 0.75f, box.max.y}, trough);
      list.AddRectFilled({x, box.max.y - share * height}, {x + step * 0.75f, box.max.y},
                         chunk_colour({static_cast<std::uint32_t>(i)}));
    }
  });
}

void Legend::chips() {
  const bool full =
      scene_ == nullptr ? run_.ranks() <= 12 : scene_->chip_size == stage::ChipSize::full;
  const bool words = full || (scene_ != nullptr && scene_->chip_size == stage::ChipSize::label);
  if (full)
    add(Word::ticks_are_parts, [](ImDrawList& list, const Corner& box) {
      fill_chunk(list, box, {3});
      const float step = (box.max.x - box.min.x) / 9;
      for (int i = 0; i < 8; ++i) {
        const float x = box.min.x + step * (static_cast<float>(i) + 0.6f);
        list.AddRectFilled({x, middle(box)}, {x + step * 0.6f, box.max.y - 2},
                           with_alpha(chunk_ink({3}), i < 3 ? 1.f : 0.22f));
      }
    });
  else if (!words)
    add(may_share_a_place() ? Word::dots_are_chunks : Word::dot_is_chunk,
        [](ImDrawList& list, const Corner& box) {
          const float r = (box.max.y - box.min.y) / 2, step = (box.max.x - box.min.x - 2 * r) / 2;
          for (int i = 0; i < 3; ++i)
            list.AddCircleFilled({box.min.x + r + step * static_cast<float>(i), middle(box)},
                                 r * 0.8f, chunk_colour({static_cast<std::uint32_t>(i)}));
        });
  if (run_.schedule->chunks() > 8 && words)
    add(Word::hatched_from_8,
        [](ImDrawList& list, const Corner& box) { fill_chunk(list, box, {8}); });
}

void Legend::wires() {
  std::set<LinkKind> kinds;
  for (const LinkId link : run_.route_links) kinds.insert((*run_.topology)[link].kind);
  for (const LinkKind kind : kinds) {
    const ImU32 colour = wire_colour(kind, look_);
    add(word_of(kind), [=, u = look_.unit](ImDrawList& list, const Corner& box) {
      list.AddLine({box.min.x, middle(box)}, {box.max.x, middle(box)}, colour, u * 0.35f);
    });
  }
  if (kinds.empty()) return;
  const ImU32 colour = wire_colour(*kinds.begin(), look_);
  add(Word::wire_is_load, [=, u = look_.unit](ImDrawList& list, const Corner& box) {
    const float half = (box.min.x + box.max.x) / 2;
    list.AddLine({box.min.x, middle(box)}, {half, middle(box)}, with_alpha(colour, 0.3f),
                 u * 0.35f);
    list.AddLine({half, middle(box)}, {box.max.x, middle(box)}, colour, u * 0.35f);
  });
}

/// What was done to the run on purpose.
void Legend::experiments() {
  const auto& system = run_.scenario.system;
  const ImU32 bad = look_.colour.bad, warn = look_.colour.warn, outline = chunk_colour({1}, 0.8f);
  const float u = look_.unit;
  const auto framed = [u](ImU32 colour) {
    return [=](ImDrawList& list, const Corner& box) {
      list.AddRect(box.min, box.max, colour, u / 3, 0, u * 0.2f);
    };
  };
  if (!run_.violations.empty()) add(Word::mark_wrong, framed(bad));
  if (panel_.model.ghost) add(Word::ghost_is_before, framed(outline));
  if (!system.dead.empty())
    add(Word::cross_is_dead, [=](ImDrawList& list, const Corner& box) {
      const float x = (box.min.x + box.max.x) / 2, r = (box.max.y - box.min.y) / 2;
      list.AddLine({box.min.x, middle(box)}, {box.max.x, middle(box)}, with_alpha(bad, 0.5f));
      list.AddLine({x - r, box.min.y}, {x + r, box.max.y}, bad, u * 0.3f);
      list.AddLine({x - r, box.max.y}, {x + r, box.min.y}, bad, u * 0.3f);
    });
  const auto badge = [this, warn, framed](Word word, const char* text) {
    add(word, [=, look = &look_](ImDrawList& list, const Corner& box) {
      framed(warn)(list, box);
      const ImVec2 size = measure(look->small, text);
      write(list, {(box.min.x + box.max.x) / 2, middle(box) - size.y / 2},
            {look->small, warn, 0.5f}, text);
    });
  };
  if (!system.slow.empty()) badge(Word::badge_is_slow, "×4");
  if (!system.straggler.empty()) badge(Word::badge_is_late, "+µs");
}

}  // namespace

float legend_height(const Panel& panel, const stage::StagedRun& run, const Corner& area) {
  return Legend(panel, run, nullptr).height(area);
}

void draw_legend(const RunView& view, const stage::Scene& scene, const Corner& area) {
  Legend(view.panel, view.run, &scene).draw(*ImGui::GetWindowDrawList(), area);
}

}  // namespace ringside::panels
