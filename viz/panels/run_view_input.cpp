// What the mouse does on the stage: hover lights up, a click selects, a right click its menu.

#include <algorithm>

#include "viz/panels/run_view.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Pick;

constexpr float reach = 9;  // pixels around a wire or a chip

double distance(const stage::Path& path, stage::Point p) {
  double least = 1e300;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const stage::Point d = path[i] - path[i - 1];
    const double whole = d.x * d.x + d.y * d.y;
    const stage::Point to = p - path[i - 1];
    const double u = whole == 0 ? 0 : std::clamp((to.x * d.x + to.y * d.y) / whole, 0.0, 1.0);
    least = std::min(least, stage::length(to - u * d));
  }
  return least;
}

/// What lies nearest under the mouse: a chip, then a rank, then a wire.
Pick under(const RunView& view, const stage::Scene& scene, stage::Point mouse) {
  Pick pick;
  const float unit = view.panel.look.unit / 8;
  for (const auto& flight : view.run.timeline->under_way(view.now))
    if (stage::length(scene.at(flight.id, eased(flight.progress)) - mouse) < 2 * reach * unit)
      pick.transfer = flight.id;
  if (pick.transfer) return pick;
  for (Rank r{0}; r.value < scene.ranks.size(); ++r.value)
    if (scene.ranks[r.value].contains(mouse)) {
      pick.rank = r;
      return pick;
    }
  double nearest = reach * unit;
  for (const auto& wire : scene.wires)
    if (const double apart = distance(wire.path, mouse); apart < nearest) {
      nearest = apart;
      pick.link = wire.link;
    }
  // On a circle a neighbour's wire is drawn as the way that transfers take.
  for (TransferId id{0}; id.value < scene.way_of.size() && scene.ways.size() < 512; ++id.value) {
    if (scene.way_of[id.value] == UINT32_MAX || view.run.route(id).empty()) continue;
    const double apart = distance(scene.free_ways[scene.way_of[id.value]], mouse);
    if (apart >= nearest) continue;
    nearest = apart;
    pick.link = view.run.route(id).front();
  }
  return pick;
}

}  // namespace

void respond(const RunView& view, const stage::Scene& scene) {
  if (ImGui::IsWindowHovered()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Pick pick = under(view, scene, {mouse.x, mouse.y});
    if (!(pick == view.panel.model.hover)) view.panel.actions.push_back(stage::Hover{pick});
    if (ImGui::IsMouseClicked(0)) view.panel.actions.push_back(stage::Select{pick});
    if (ImGui::IsMouseClicked(1) && (pick.rank || pick.link)) {
      view.panel.actions.push_back(stage::Select{pick});
      if (!view.panel.model.shows_menu) view.panel.actions.push_back(stage::Command::menu);
    }
  }
}

}  // namespace ringside::panels::detail
