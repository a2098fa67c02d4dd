#include "viz/panels/run_view.hpp"

#include <array>

namespace ringside::panels {
namespace {

/// What a scene depends on.
struct Remembered {
  std::weak_ptr<const stage::Story> story;
  const stage::StagedRun* run = nullptr;
  stage::Box region;
  stage::Model::Layout layout = stage::Model::Layout::automatic;
  stage::Scene scene;
};

bool same(const stage::Box& a, const stage::Box& b) {
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

}  // namespace

const stage::Scene& scene_of(const RunView& view) {
  // Two runs are on the screen at most; the story tells a new run that took an old one's address.
  static std::array<Remembered, 2> remembered;
  static std::size_t oldest = 0;
  const stage::Box region{view.area.min.x, view.area.min.y, view.area.max.x - view.area.min.x,
                          view.area.max.y - view.area.min.y};
  for (const Remembered& known : remembered)
    if (known.run == &view.run && known.story.lock() == view.run.story &&
        same(known.region, region) && known.layout == view.panel.model.layout)
      return known.scene;
  Remembered& place = remembered[oldest];
  oldest = 1 - oldest;
  const double unit = view.panel.look.unit / 8 * 1.12;
  place = {view.run.story, &view.run, region, view.panel.model.layout,
           stage::make_scene(view.run, region, view.panel.model.layout, unit)};
  return place.scene;
}

ImU32 wire_colour(sim::LinkKind kind, const Look& look) {
  using sim::LinkKind;
  switch (kind) {
    case LinkKind::nvlink:
    case LinkKind::xgmi:
    case LinkKind::c2c:
      return chunk_colour({2});
    case LinkKind::ib:
    case LinkKind::roce:
    case LinkKind::ethernet:
      return chunk_colour({5});
    case LinkKind::pcie:
    case LinkKind::socket:
    case LinkKind::memory:
      return chunk_colour({4});
    default:
      return look.colour.is_dark ? chunk_colour({2}) : look.colour.good;
  }
}

void draw_run(const RunView& view) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const stage::Scene& scene = scene_of(view);
  for (const stage::Box& frame : scene.frames) {
    const Corner box = to_screen(frame);
    list.AddRectFilled(box.min, box.max, with_alpha(view.panel.look.colour.panel, 0.7f), 8);
    list.AddRect(box.min, box.max, view.panel.look.colour.faint, 8);
  }
  detail::draw_wires(view, scene, list);
  detail::draw_ranks(view, scene, list);
  if (view.takes_input) detail::draw_ghost(view, scene, list);
  detail::draw_chips(view, scene, list);
  detail::draw_faults(view, scene, list);
  if (view.takes_input) detail::respond(view, scene);
}

}  // namespace ringside::panels
