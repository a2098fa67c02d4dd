#include "viz/panels/run_view.hpp"

#include <array>

namespace ringside::panels {
namespace {

/// What a scene depends on.
struct Remembered {
  std::weak_ptr<const stage::Story> story;
  std::weak_ptr<const sim::Topology> topology;
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
  // Two runs are on the screen at most. A new run may have taken an old one's address, and its
  // schedule, and so its story: then its machine tells it.
  static std::array<Remembered, 2> remembered;
  static std::size_t oldest = 0;
  const stage::Box region{view.area.min.x, view.area.min.y, view.area.max.x - view.area.min.x,
                          view.area.max.y - view.area.min.y};
  for (const Remembered& known : remembered)
    if (known.run == &view.run && known.story.lock() == view.run.story &&
        known.topology.lock() == view.run.topology && same(known.region, region) &&
        known.layout == view.panel.model.layout)
      return known.scene;
  Remembered& place = remembered[oldest];
  oldest = 1 - oldest;
  const double unit = view.panel.look.unit / 8 * 1.12;
  place = {view.run.story,
           view.run.topology,
           &view.run,
           region,
           view.panel.model.layout,
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

void draw_path(ImDrawList& list, const stage::Path& path, ImU32 colour, float width) {
  for (const stage::Point& p : path) list.PathLineTo(to_screen(p));
  list.PathStroke(colour, 0, width);
}

std::string short_name(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

bool is_centre_free(const RunView& view, const stage::Scene& scene) {
  const Look& look = view.panel.look;
  const ImVec2 words = measure(look.huge, "000.00 µs");
  const stage::Box box = stage::Box::around(scene.region.centre(), 1.1 * words.x,
                                            2 * (words.y + measure(look.small, "0").y + look.unit));
  if (scene.is_machine || scene.ways.size() > 4 * scene.ranks.size()) return false;
  for (std::uint32_t d = 0; d < scene.devices.size(); ++d)
    if (scene.plate != DeviceId{d} && !scene.devices[d].is_empty() &&
        scene.devices[d].overlaps(box))
      return false;
  for (const stage::Way& way : scene.ways)
    for (std::size_t i = 1; i < way.path().size(); ++i)
      if (box.grown(scene.chip.y / 2).is_crossed(way.path()[i - 1], way.path()[i])) return false;
  return true;
}

void draw_run(const RunView& view) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const stage::Scene& scene = scene_of(view);
  detail::draw_rim(view, scene, list);
  detail::draw_wires(view, scene, list);
  detail::draw_devices(view, scene, list);
  if (!view.is_rival) detail::draw_ghost(view, scene, list);
  detail::draw_chips(view, scene, list);
  detail::draw_ranks(view, scene, list);  // chunks come out of them and go into them
  detail::draw_faults(view, scene, list);
  if (!view.is_rival) detail::draw_answers(view, scene, list);
  if (!view.is_rival) detail::respond(view, scene);
}

}  // namespace ringside::panels
