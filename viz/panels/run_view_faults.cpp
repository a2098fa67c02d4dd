// What was done to a run on purpose, where it was done; and how it was before.

#include <fmt/format.h>

#include "sim/faults.hpp"
#include "viz/panels/people.hpp"
#include "viz/panels/run_view.hpp"

namespace ringside::panels::detail {
namespace {

class Faults {
 public:
  Faults(const RunView& view, const stage::Scene& scene, ImDrawList& list)
      : view_(view), scene_(scene), list_(list), look_(view.panel.look) {}

  void draw() {
    const auto& system = view_.run.scenario.system;
    for (const auto& text : system.slow)
      if (const auto slow = sim::parse_slow(text)) slow_link(*slow);
    for (const auto& text : system.dead) dead_link(text);
    for (const auto& text : system.straggler)
      if (const auto late = sim::parse_straggler(text)) straggler(*late);
  }

 private:
  void badge(stage::Point at, ImU32 colour, const std::string& text) {
    const ImVec2 size = measure(look_.small, text.c_str());
    const ImVec2 c = to_screen(at);
    const float pad = look_.unit / 2;
    list_.AddRectFilled({c.x - size.x / 2 - pad, c.y - size.y / 2 - 1},
                        {c.x + size.x / 2 + pad, c.y + size.y / 2 + 1}, look_.colour.page, 4);
    list_.AddRect({c.x - size.x / 2 - pad, c.y - size.y / 2 - 1},
                  {c.x + size.x / 2 + pad, c.y + size.y / 2 + 1}, colour, 4, 0, 1.5f);
    write(list_, {c.x, c.y - size.y / 2}, {look_.small, colour, 0.5f}, text.c_str());
  }
  /// Where chunks do not pass: on the other side of the wire than its lane, and off it.
  stage::Point beside_middle(const stage::Path& way) const {
    const ImVec2 size = measure(look_.small, "×4");
    const stage::Point half{0.5 * size.x + look_.unit / 2 + scene_.chip.x / 2,
                            0.5 * size.y + scene_.chip.y / 2};
    return stage::along(stage::beside(stage::reversed(way), half), 0.5);
  }
  stage::Path between(DeviceId from, DeviceId to) const {
    if (scene_.devices[from.value].is_empty() || scene_.devices[to.value].is_empty()) return {};
    return stage::path_between(scene_, view_.run, from, to);
  }
  void slow_link(const sim::SlowLink& slow) {
    const auto links = sim::find_links(*view_.run.topology, slow.link);
    if (!links) return;
    for (const LinkId id : *links) {
      const sim::Link& link = (*view_.run.topology)[id];
      const stage::Path way = between(link.from, link.to);
      if (!way.empty())
        badge(beside_middle(way), look_.colour.warn, fmt::format("×{:.3g}", slow.factor));
    }
  }
  /// It is no link of the topology any more: only its ends are.
  void dead_link(const std::string& name) {
    const auto arrow = name.find("->");
    if (arrow == std::string::npos) return;
    const auto from = sim::find_device(*view_.run.topology, name.substr(0, arrow));
    const auto to =
        sim::find_device(*view_.run.topology, name.substr(arrow + 2, name.find('#') - arrow - 2));
    if (!from || !to) return;
    const stage::Path way = between(*from, *to);
    if (way.empty()) return;
    for (double u = 0; u < 1; u += 0.08)
      list_.AddLine(to_screen(stage::along(way, u)), to_screen(stage::along(way, u + 0.04)),
                    look_.colour.bad, 1.5f);
    const ImVec2 c = to_screen(stage::along(way, 0.5));
    const float r = look_.unit;
    list_.AddLine({c.x - r, c.y - r}, {c.x + r, c.y + r}, look_.colour.bad, 3);
    list_.AddLine({c.x - r, c.y + r}, {c.x + r, c.y - r}, look_.colour.bad, 3);
  }
  void straggler(const sim::Straggler& late) {
    if (late.rank.value >= scene_.ranks.size()) return;
    const stage::Box& box = scene_.ranks[late.rank.value];
    badge({box.centre().x, box.bottom()}, look_.colour.warn, "+" + people(late.start));
  }

  const RunView& view_;
  const stage::Scene& scene_;
  ImDrawList& list_;
  const Look& look_;
};

}  // namespace

/// Thin outlines where the same chunks were, at the same moment, before the fork.
void draw_ghost(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const auto& ghost = view.panel.model.ghost;
  if (!ghost || ghost->schedule != view.run.schedule) return;
  if (scene.chip_size == stage::ChipSize::speck) return;
  for (const stage::Chip& chip : stage::chips_on_their_ways(*ghost, scene, view.now)) {
    const ChunkId chunk = ghost->story->chunk(ghost->story->cargo(chip.id).parts);
    const Corner box = to_screen(stage::Box::around(chip.at, scene.chip.x, scene.chip.y));
    list.AddRect(box.min, box.max, chunk_colour(chunk, 0.8f), view.panel.look.unit / 2, 0, 1.5f);
  }
}

void draw_faults(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  Faults(view, scene, list).draw();
}

}  // namespace ringside::panels::detail
