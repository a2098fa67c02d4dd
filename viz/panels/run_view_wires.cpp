// Wires: their kind as colour, their bandwidth as width, what they carry now as light.

#include <algorithm>
#include <cmath>

#include "viz/panels/run_view.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Path;

void draw_path(ImDrawList& list, const Path& path, ImU32 colour, float width) {
  for (std::size_t i = 1; i < path.size(); ++i)
    list.AddLine(to_screen(path[i - 1]), to_screen(path[i]), colour, width);
}

/// Wide wires are thick, within what a screen shows: 1 pixel at 10 GB/s, 5 at 1 TB/s.
float width_of(const sim::Link& link, float unit) {
  const double decades = std::log10(std::max(1.0, link.bandwidth.gigabytes_per_second()));
  return static_cast<float>(std::clamp(decades * 1.6, 1.0, 5.0)) * unit / 8;
}

/// Links that carry something now.
std::vector<bool> busy_links(const RunView& view) {
  std::vector<bool> busy(view.run.topology->links.size());
  for (const auto& flight : view.run.timeline->under_way(view.now))
    for (const LinkId link : view.run.route(flight.id)) busy[link.value] = true;
  return busy;
}

/// Ways that no wire shows, as on a circle without a switch.
void draw_ways(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const Look& look = view.panel.look;
  const std::size_t participants = scene.ranks.size();
  if (scene.ways.size() <= 6 * participants)
    for (const Path& way : scene.free_ways)
      if (way.size() > 3) draw_path(list, way, look.colour.edge, 1.5f * look.unit / 8);
  const auto flights = view.run.timeline->under_way(view.now);
  const float alpha = flights.size() > 96 ? 0.35f : 0.9f;
  for (const auto& flight : flights) {
    const Path& way = scene.free_ways[scene.way_of[flight.id.value]];
    const auto route = view.run.route(flight.id);
    if (route.empty()) continue;
    const sim::Link& link = (*view.run.topology)[route.front()];
    draw_path(list, way, with_alpha(wire_colour(link.kind, look), alpha),
              flights.size() > 96 ? 1.f : width_of(link, look.unit));
  }
}

/// Slow links and those that carry the pick.
void draw_picked_link(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const auto mark = [&](const std::optional<LinkId>& link, ImU32 colour) {
    if (!link || link->value >= view.run.topology->links.size()) return;
    for (const auto& wire : scene.wires)
      if (wire.link == *link) draw_path(list, wire.path, colour, 3 * view.panel.look.unit / 8);
    for (TransferId id{0}; id.value < scene.way_of.size(); ++id.value) {
      const auto route = view.run.route(id);
      if (route.size() != 1 || route.front() != *link) continue;
      draw_path(list, scene.free_ways[scene.way_of[id.value]], colour,
                3 * view.panel.look.unit / 8);
      break;
    }
  };
  mark(view.panel.model.selected.link, view.panel.look.colour.accent);
  mark(view.panel.model.hover.link, view.panel.look.colour.focus);
}

void draw_hover(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const auto& hovered = view.panel.model.hover.transfer;
  if (!hovered || hovered->value >= scene.way_of.size()) return;
  if (scene.way_of[hovered->value] == UINT32_MAX) return;
  draw_path(list, scene.free_ways[scene.way_of[hovered->value]], view.panel.look.colour.focus,
            3 * view.panel.look.unit / 8);
}

}  // namespace

void draw_wires(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const Look& look = view.panel.look;
  const auto busy = busy_links(view);
  const auto& topology = *view.run.topology;
  const bool circle_of_direct_wires = !scene.is_machine &&
                                      scene.wires.size() >= scene.ranks.size() &&
                                      scene.wires.size() <= 2 * scene.ranks.size();
  for (const auto& wire : scene.wires) {
    const sim::Link& link = topology[wire.link];
    const bool between_ranks = topology[link.from].kind == sim::DeviceKind::gpu &&
                               topology[link.to].kind == sim::DeviceKind::gpu;
    // On a circle the ways themselves are drawn, bent: straight wires would run beside them.
    if (between_ranks && !scene.is_machine && circle_of_direct_wires) continue;
    const ImU32 colour = wire.is_used ? wire_colour(link.kind, look) : look.colour.edge;
    bool now = busy[wire.link.value];
    for (LinkId id{0}; !now && id.value < topology.links.size(); ++id.value)
      now = busy[id.value] && topology[id].from == link.to && topology[id].to == link.from;
    draw_path(list, wire.path,
              with_alpha(colour, now            ? 0.95f
                                 : wire.is_used ? 0.4f
                                                : 0.35f),
              width_of(link, look.unit));
  }
  draw_ways(view, scene, list);
  draw_hover(view, scene, list);
  if (view.takes_input) draw_picked_link(view, scene, list);
}

}  // namespace ringside::panels::detail
