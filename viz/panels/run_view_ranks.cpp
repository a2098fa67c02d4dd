// Ranks and other devices: boxes, and in a rank's box a bar a chunk: how much of the sum it holds.

#include <fmt/format.h>

#include <algorithm>

#include "viz/panels/run_view.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Content;
using stage::Word;

constexpr float least_named = 44;  // pixels of a box that has room for a name

class Ranks {
 public:
  Ranks(const RunView& view, const stage::Scene& scene, ImDrawList& list)
      : view_(view), scene_(scene), list_(list), look_(view.panel.look), run_(view.run) {}

  void draw() {
    for (DeviceId d{0}; d.value < scene_.devices.size(); ++d.value)
      if (!scene_.devices[d.value].is_empty() && !is_rank(d)) device(d);
    for (Rank r{0}; r.value < run_.ranks(); ++r.value) rank(r);
  }

 private:
  bool is_rank(DeviceId d) const {
    for (std::uint32_t r = 0; r < run_.ranks(); ++r)
      if (run_.topology->ranks[r] == d) return true;
    return false;
  }
  void device(DeviceId id);
  void rank(Rank rank);
  void bars(Rank rank, const Corner& area);
  void outline(Rank rank, const Corner& box);

  const RunView& view_;
  const stage::Scene& scene_;
  ImDrawList& list_;
  const Look& look_;
  const stage::StagedRun& run_;
};

/// `nvsw0` of `node2.nvsw0`: the frame around it says which node.
std::string short_name(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

void Ranks::device(DeviceId id) {
  const sim::Device& device = (*run_.topology)[id];
  const Corner box = to_screen(scene_.devices[id.value]);
  const bool hub =
      device.kind == sim::DeviceKind::nvswitch || device.kind == sim::DeviceKind::network_switch;
  list_.AddRectFilled(box.min, box.max, look_.colour.panel, hub ? 10.f : 4.f);
  list_.AddRect(
      box.min, box.max,
      hub ? with_alpha(wire_colour(device.kind == sim::DeviceKind::nvswitch ? sim::LinkKind::nvlink
                                                                            : sim::LinkKind::ib,
                                   look_),
                       0.8f)
          : look_.colour.edge,
      hub ? 10.f : 4.f, 0, hub ? 1.5f : 1.f);
  const std::string name =
      device.kind == sim::DeviceKind::nvswitch && hub && box.max.x - box.min.x > 90 * look_.unit / 8
          ? look_.say(Word::nvswitch)
          : short_name(device.name);
  const ImVec2 size = measure(look_.small, name.c_str());
  if (size.x + 6 > box.max.x - box.min.x || size.y > box.max.y - box.min.y) return;
  write(list_, {(box.min.x + box.max.x) / 2, (box.min.y + box.max.y - size.y) / 2},
        {look_.small, look_.colour.quiet, 0.5f}, name.c_str());
}

void Ranks::outline(Rank rank, const Corner& box) {
  const auto& model = view_.panel.model;
  const bool hot = model.hover.rank == rank || (model.hover.slot && model.hover.slot->rank == rank);
  if (model.selected.rank == rank || hot)
    list_.AddRect(box.min, box.max, look_.colour.focus, 6, 0, hot ? 1.5f : 2.5f);
  if (!run_.violations.empty() && run_.violations.front().slot.rank == rank)
    list_.AddRect({box.min.x - 2, box.min.y - 2}, {box.max.x + 2, box.max.y + 2}, look_.colour.bad,
                  7, 0, 2.5f);
}

void Ranks::rank(Rank rank) {
  const Corner box = to_screen(scene_.ranks[rank.value]);
  const float width = box.max.x - box.min.x, height = box.max.y - box.min.y;
  const float pad = width > least_named ? look_.unit : std::min(3.f, width / 6);
  list_.AddRectFilled(box.min, box.max, look_.colour.box, width > least_named ? 8.f : 2.f);
  list_.AddRect(box.min, box.max, look_.colour.edge, width > least_named ? 8.f : 2.f);
  Corner inside{{box.min.x + pad, box.min.y + pad}, {box.max.x - pad, box.max.y - pad}};
  const std::string name = fmt::format(fmt::runtime(look_.say(Word::rank_box)), rank.value);
  const std::string number = std::to_string(rank.value);
  ImFont* font = width > 80 * look_.unit / 8 ? look_.strong : look_.small;
  const char* label =
      measure(font, name.c_str()).x <= width - 2 * pad ? name.c_str() : number.c_str();
  const ImVec2 size = measure(font, label);
  if (size.x <= width - 2 && size.y < height * 0.6f) {
    const bool roomy = width > 80 * look_.unit / 8;
    write(list_, {roomy ? inside.min.x : (box.min.x + box.max.x) / 2, box.min.y + pad * 0.6f},
          {font, look_.colour.ink, roomy ? 0.f : 0.5f}, label);
    inside.min.y = box.min.y + pad * 0.6f + size.y + pad * 0.4f;
  }
  bars(rank, inside);
  outline(rank, box);
}

/// Chunks too thin to see share one bar.
void Ranks::bars(Rank rank, const Corner& area) {
  const std::uint32_t chunks = run_.schedule->chunks();
  const float height = area.max.y - area.min.y;
  const float pitch = (area.max.x - area.min.x) / static_cast<float>(std::max(1u, chunks));
  const float gap = pitch >= 6 ? 2.f : pitch >= 2.5f ? 0.75f : 0.f;
  if (height < 2) return;
  if (gap < 1) list_.AddRectFilled(area.min, area.max, look_.colour.trough, 1);
  double sum = 0;
  for (std::uint32_t c = 0; c < chunks; ++c) {
    const Content content = run_.timeline->shown(rank, {c}, view_.now);
    const double share = double(run_.story->count(content.parts)) / run_.story->complete();
    sum += share;
    if (pitch < 1) continue;
    const float x = area.min.x + static_cast<float>(c) * pitch;
    if (gap >= 1)
      list_.AddRectFilled({x, area.min.y}, {x + pitch - gap, area.max.y}, look_.colour.trough, 2);
    if (share <= 0) continue;
    const Corner bar{{x, area.max.y - static_cast<float>(share) * height},
                     {x + pitch - gap, area.max.y}};
    const ChunkId of = run_.story->chunk(content.parts);
    fill_chunk(list_, bar, of);
    if (run_.story->repeats(content.parts))
      list_.AddRect(bar.min, bar.max, look_.colour.bad, 0, 0, 2);
  }
  if (pitch >= 1 || chunks == 0) return;
  const float full = static_cast<float>(sum / chunks) * height;
  list_.AddRectFilled({area.min.x, area.max.y - full}, area.max, look_.colour.good, 1);
}

}  // namespace

void draw_ranks(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  Ranks(view, scene, list).draw();
}

}  // namespace ringside::panels::detail
