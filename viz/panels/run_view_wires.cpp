// Wires, a lane each way: their kind as colour, their bandwidth as width, what they carry now as
// light.

#include <algorithm>
#include <cmath>

#include "viz/panels/run_view.hpp"
#include "viz/stage/numbers.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Path;
using Wire = stage::Scene::Wire;

// Wires that are drawn: with more there are no lanes, none that are idle, none at all.
constexpr std::size_t most_wide = 48, most_lanes = 320, most_thin = 640, most_idle = 1200,
                      most_drawn = 6000;

class Wires {
 public:
  Wires(const RunView& view, const stage::Scene& scene, ImDrawList& list)
      : view_(view),
        scene_(scene),
        list_(list),
        look_(view.panel.look),
        topology_(*view.run.topology),
        load_(stage::load_at(view.run, view.now)) {}

  void draw() {
    if (scene_.wires.size() > most_drawn) return;
    for (const Wire& wire : scene_.wires)
      if (!wire.is_used && scene_.wires.size() <= most_lanes)
        draw_path(list_, wire.path, look_.colour.faint, std::min(2.f, width(wire)));
    const auto in_use = static_cast<std::size_t>(
        std::ranges::count_if(scene_.wires, [](const Wire& wire) { return wire.is_used; }));
    // Of so many that nobody can tell them apart some stand for all.
    const std::size_t stride = 1 + in_use / most_thin;
    std::size_t nth = 0;
    for (const Wire& wire : scene_.wires)
      if (wire.is_used && nth++ % stride == 0) used(wire);
    if (!view_.is_rival) picks();
  }

 private:
  /// Of all its links one way: 1 pixel at 4 GB/s, 5 at 1 TB/s.
  float width(const Wire& wire) const {
    double rate = 0;
    for (const LinkId link : wire.links[wire.links[0].empty() ? 1 : 0])
      rate += topology_[link].bandwidth.gigabytes_per_second();
    const double decades = std::log10(std::max(1.0, rate));
    const double crowd = scene_.wires.size() > most_wide ? 0.55 : 1;
    return static_cast<float>(std::clamp(decades * 1.7 * crowd, 1.0, 5.0)) * look_.unit / 8;
  }
  /// The share of all its links one way that is in use now.
  float load(const std::vector<LinkId>& links) const {
    double used = 0, all = 0;
    for (const LinkId link : links) {
      const double rate = topology_[link].bandwidth.gigabytes_per_second();
      used += rate * load_[link.value];
      all += rate;
    }
    return all == 0 ? 0 : static_cast<float>(used / all);
  }
  ImU32 colour(const Wire& wire) const {
    const auto& links = wire.links[wire.links[0].empty() ? 1 : 0];
    return wire_colour(topology_[links.front()].kind, look_);
  }
  void used(const Wire& wire) {
    if (scene_.wires.size() > most_lanes) return thin(wire);
    const float w = width(wire);
    const double aside = 0.5 * w + 0.5 * look_.unit / 8;
    for (const int way : {0, 1}) {
      if (wire.links[way].empty()) continue;
      const Path along = way == 0 ? wire.path : stage::reversed(wire.path);
      const bool alone = wire.links[1 - way].empty();
      lane(alone ? along : stage::beside(along, {aside, aside}), colour(wire),
           {w, load(wire.links[way])});
    }
  }
  struct Flow {
    float width, load;
  };
  void lane(const Path& path, ImU32 colour, const Flow& flow) {
    draw_path(list_, path, with_alpha(colour, look_.colour.is_dark ? 0.3f : 0.25f), flow.width);
    if (flow.load > 0.005f)
      draw_path(list_, path, colour, std::max(1.f, flow.width * std::sqrt(flow.load)));
  }
  void thin(const Wire& wire) {
    const float busy = std::max(load(wire.links[0]), load(wire.links[1]));
    const bool is_idle = busy <= 0.005f;
    if (is_idle && scene_.wires.size() > most_idle) return;
    list_.AddLine(to_screen(wire.path.front()), to_screen(wire.path.back()),
                  with_alpha(colour(wire), is_idle ? 0.12f : 0.25f + 0.5f * busy));
  }

  void mark(const Path& path, ImU32 colour) { draw_path(list_, path, colour, look_.unit * 0.4f); }
  /// What is pointed at or selected: a link, or the way of a transfer.
  void picks() {
    const stage::Model& model = view_.panel.model;
    for (const auto& [pick, colour] : {std::pair{&model.selected, look_.colour.accent},
                                       std::pair{&model.hover, look_.colour.focus}}) {
      if (pick->link && pick->link->value < scene_.wire_of.size() &&
          scene_.wire_of[pick->link->value] != UINT32_MAX)
        mark(scene_.wires[scene_.wire_of[pick->link->value]].path, colour);
      if (pick->transfer && pick->transfer->value < scene_.way_of.size() &&
          scene_.way_of[pick->transfer->value] != UINT32_MAX)
        mark(scene_.ways[scene_.way_of[pick->transfer->value]].path(), colour);
    }
  }

  const RunView& view_;
  const stage::Scene& scene_;
  ImDrawList& list_;
  const Look& look_;
  const sim::Topology& topology_;
  std::vector<double> load_;
};

}  // namespace

void draw_wires(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  Wires(view, scene, list).draw();
}

}  // namespace ringside::panels::detail
