// What is no rank: frames of nodes, switches, CPUs, NICs.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "viz/panels/phrases.hpp"
#include "viz/panels/run_view.hpp"

namespace ringside::panels::detail {
namespace {

using sim::DeviceKind;
using stage::Word;

class Devices {
 public:
  Devices(const RunView& view, const stage::Scene& scene, ImDrawList& list)
      : view_(view),
        scene_(scene),
        list_(list),
        look_(view.panel.look),
        topology_(*view.run.topology),
        used_(stage::detail::used_devices(view.run)) {}

  void draw() {
    for (DeviceId d{0}; d.value < scene_.devices.size(); ++d.value) {
      if (scene_.devices[d.value].is_empty() || topology_[d].kind == DeviceKind::gpu) continue;
      if (scene_.plate == d)
        plate(d);
      else
        box(d);
    }
  }

 private:
  ImU32 hub_colour(DeviceId id) const {
    for (const sim::Link& link : topology_.links)
      if (link.from == id) return wire_colour(link.kind, look_);
    return look_.colour.edge;
  }
  std::string name(DeviceId id, float room) const {
    const sim::Device& device = topology_[id];
    if (device.kind == DeviceKind::nvswitch &&
        measure(look_.small, look_.say(Word::nvswitch)).x < room)
      return look_.say(Word::nvswitch);
    return short_name(device.name);
  }
  /// A round switch, its name in the middle or above the clock.
  void plate(DeviceId id) {
    const stage::Box& box = scene_.devices[id.value];
    const auto outline = [&] {
      constexpr int pieces = 96;
      for (int i = 0; i < pieces; ++i) {
        const double angle = 2 * std::numbers::pi * i / pieces;
        list_.PathLineTo(to_screen(box.centre() + stage::Point{box.width / 2 * std::cos(angle),
                                                               box.height / 2 * std::sin(angle)}));
      }
    };
    outline();
    list_.PathFillConvex(look_.colour.panel);
    outline();
    list_.PathStroke(with_alpha(hub_colour(id), 0.75f), ImDrawFlags_Closed, look_.unit * 0.25f);
    const ImVec2 middle = to_screen(box.centre());
    const float above = view_.is_alone && is_centre_free(view_, scene_)
                            ? measure(look_.huge, "0").y + look_.unit
                            : 0;
    const std::string words = name(id, static_cast<float>(box.width));
    write(list_, {middle.x, middle.y - above - measure(look_.small, "0").y / (above > 0 ? 1 : 2)},
          {look_.small, look_.colour.quiet, 0.5f}, words.c_str());
  }
  void box(DeviceId id) {
    const DeviceKind kind = topology_[id].kind;
    const Corner at = to_screen(scene_.devices[id.value]);
    const float width = at.max.x - at.min.x, height = at.max.y - at.min.y;
    const bool hub = kind == DeviceKind::nvswitch || kind == DeviceKind::network_switch;
    const float round = std::min(hub ? look_.unit * 1.25f : look_.unit / 2, height / 2);
    const float alpha = used_[id.value] ? 1 : 0.55f;
    list_.AddRectFilled(at.min, at.max, look_.colour.panel, round);
    list_.AddRect(
        at.min, at.max,
        hub ? with_alpha(hub_colour(id), 0.75f * alpha) : with_alpha(look_.colour.edge, alpha),
        round, 0, hub ? look_.unit * 0.2f : 1);
    const std::string words = name(id, width);
    const ImVec2 size = measure(look_.small, words.c_str());
    if (size.x + 4 > width || size.y - 2 > height) return;
    write(list_, {(at.min.x + at.max.x) / 2, (at.min.y + at.max.y - size.y) / 2},
          {look_.small, with_alpha(look_.colour.quiet, alpha), 0.5f}, words.c_str());
  }

  const RunView& view_;
  const stage::Scene& scene_;
  ImDrawList& list_;
  const Look& look_;
  const sim::Topology& topology_;
  std::vector<bool> used_;
};

/// `node 1 · GPU 8–15`, where a node's ranks follow one another; else empty.
std::string node_and_ranks(const RunView& view, std::uint32_t node) {
  const sim::Topology& topology = *view.run.topology;
  const Look& look = view.panel.look;
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t r = 0; r < view.run.ranks(); ++r)
    if (topology[topology.ranks[r]].node == node) ranks.push_back(r);
  if (ranks.size() < 2 || ranks.back() - ranks.front() + 1 != ranks.size()) return {};
  return fmt::format(fmt::runtime(look.say(Word::node_of_ranks)), node,
                     rank_name(look, view.run, {ranks.front()}), ranks.back());
}

/// Beside a frame that has no room for it, on its outer side: wires leave towards the middle. With
/// the ranks, whose boxes are too small for names then, unless that runs into a switch.
void name_beside(const RunView& view, const stage::Scene& scene, std::uint32_t node,
                 ImDrawList& list) {
  const Look& look = view.panel.look;
  const Corner frame = to_screen(scene.frames[node]);
  const stage::Point middle = scene.region.centre(), at = scene.frames[node].centre();
  const float u = look.unit, line = measure(look.small, "0").y;
  const float top = at.y > middle.y ? frame.min.y - line : frame.max.y;
  const std::string texts[] = {node_and_ranks(view, node),
                               fmt::format(fmt::runtime(look.say(Word::node_frame)), node)};
  for (const std::string& text : texts) {
    const float width = measure(look.small, text.c_str()).x;
    const float left = at.x > middle.x ? frame.max.x - u - width : frame.min.x + u;
    const stage::Box box{left - u / 2, top, width + u, line};
    const bool is_taken = std::ranges::any_of(
        scene.devices, [&](const stage::Box& d) { return !d.is_empty() && d.overlaps(box); });
    if (text.empty() || (is_taken && &text != &texts[1])) continue;
    list.AddRectFilled({left - u / 2, top}, {left + width + u / 2, top + line}, look.colour.page);
    write(list, {left, top}, {look.small, look.colour.quiet}, text.c_str());
    return;
  }
}

void name_frame(const RunView& view, const stage::Scene& scene, std::uint32_t node,
                ImDrawList& list) {
  const Look& look = view.panel.look;
  const Corner box = to_screen(scene.frames[node]);
  const bool is_below = scene.frames[node].y > scene.region.centre().y;
  const float u = look.unit, line = measure(look.small, "0").y;
  write(list, {box.min.x + u, is_below ? box.max.y - u / 2 - line : box.min.y + u / 2},
        {look.small, look.colour.quiet},
        fmt::format(fmt::runtime(look.say(Word::node_frame)), node).c_str());
}

}  // namespace

void draw_devices(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  const Look& look = view.panel.look;
  for (std::uint32_t n = 0; n < scene.frames.size(); ++n) {
    const Corner box = to_screen(scene.frames[n]);
    list.AddRect(box.min, box.max, look.colour.edge, look.unit);
    if (scene.frame_heading > 0) name_frame(view, scene, n, list);
    if (scene.frame_margin > 0) name_beside(view, scene, n, list);
  }
  Devices(view, scene, list).draw();
}

}  // namespace ringside::panels::detail
