// What the mouse does on the stage: hover lights up, a click selects, a right click the menu.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/panels/people.hpp"
#include "viz/panels/phrases.hpp"
#include "viz/panels/run_view.hpp"
#include "viz/stage/numbers.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Pick;
using stage::Word;

constexpr float reach = 9;  // pixels around a wire

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

/// Of a wire's two lanes the one on the mouse's side: people drive on the right.
LinkId link_on_side(const stage::Scene::Wire& wire, stage::Point mouse) {
  const stage::Point along = wire.path.back() - wire.path.front(), to = mouse - wire.path.front(),
                     right = stage::right_of(along);
  const bool there = to.x * right.x + to.y * right.y >= 0;
  return (wire.links[there ? 0 : 1].empty() ? wire.links[there ? 1 : 0] : wire.links[there ? 0 : 1])
      .front();
}

/// What lies nearest under the mouse: a chip, then a rank, then a wire.
Pick under(const RunView& view, const stage::Scene& scene, stage::Point mouse) {
  Pick pick;
  const stage::Point reached = 0.5 * scene.chip + stage::Point{3, 3};
  for (const stage::Chip& chip : stage::chips_at(view.run, scene, view.now)) {
    if (stage::is_to_come(view.panel.model, view.run, chip.id)) continue;
    const stage::Point apart = chip.at - mouse;
    if (std::abs(apart.x) < reached.x && std::abs(apart.y) < reached.y) pick.transfer = chip.id;
  }
  if (const auto rank = scene.rank_at(mouse, view.run.ranks())) {
    pick = {};
    pick.rank = rank;
  }
  if (pick.rank || pick.transfer) return pick;
  double nearest = reach * view.panel.look.unit / 8;
  for (const auto& wire : scene.wires) {
    const double apart = distance(wire.path, mouse);
    if (apart >= nearest) continue;
    nearest = apart;
    pick.link = link_on_side(wire, mouse);
  }
  return pick;
}

std::string tip(const RunView& view, const Pick& pick) {
  const stage::StagedRun& run = view.run;
  const Look& look = view.panel.look;
  if (pick.link) {
    const sim::Link& link = (*run.topology)[*pick.link];
    const double load = stage::load_at(run, view.now)[pick.link->value];
    return fmt::format(fmt::runtime(look.say(Word::link_tip)), run.topology->link_name(*pick.link),
                       to_string(link.bandwidth), people(link.latency), std::lround(100 * load));
  }
  if (pick.rank) {
    const stage::Port port = stage::numbers_at(run, view.now).ports[pick.rank->value];
    return fmt::format(
        fmt::runtime(look.say(Word::rank_tip)),
        run.is_measured ? rank_in_full(look, run, *pick.rank)
                        : short_name((*run.topology)[run.topology->ranks[pick.rank->value]].name),
        people(port.out), people(port.in));
  }
  if (!pick.transfer) return {};
  const Transfer& t = (*run.schedule)[*pick.transfer];
  const Span& span = run.spans[pick.transfer->value];
  return fmt::format(fmt::runtime(look.say(Word::chip_tip)), t.src().rank.value, t.dst().rank.value,
                     people(run.size(*pick.transfer)), people(span.begin - TimePoint{}),
                     people(span.commit - TimePoint{}));
}

}  // namespace

void respond(const RunView& view, const stage::Scene& scene) {
  if (!ImGui::IsWindowHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Pick pick = under(view, scene, {mouse.x, mouse.y});
  auto& actions = view.panel.actions;
  if (!(pick == view.panel.model.hover)) actions.push_back(stage::Hover{pick});
  if (ImGui::IsMouseClicked(0)) actions.push_back(stage::Select{pick});
  if (ImGui::IsMouseClicked(1)) {
    actions.push_back(stage::Select{pick});
    if (!view.panel.model.shows_menu) actions.push_back(stage::Command::menu);
  }
  if (const std::string text = tip(view, pick); !text.empty()) draw_tip(view.panel.look, text);
}

}  // namespace ringside::panels::detail
