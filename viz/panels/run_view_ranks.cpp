// Ranks: boxes, and in each a bar a chunk: how much of the sum it holds.

#include <fmt/format.h>

#include <algorithm>

#include "viz/panels/phrases.hpp"
#include "viz/panels/run_view.hpp"

namespace ringside::panels::detail {
namespace {

using stage::Content;

class Ranks {
 public:
  Ranks(const RunView& view, const stage::Scene& scene, ImDrawList& list)
      : view_(view), scene_(scene), list_(list), look_(view.panel.look), run_(view.run) {}

  void draw() {
    for (Rank r{0}; r.value < run_.ranks() && scene_.rim.is_empty(); ++r.value) rank(r);
    for (Rank r{run_.ranks()}; r.value < run_.schedule->participants(); ++r.value)
      if (is_wrong(r)) outline(r, to_screen(scene_.ranks[r.value]), look_.unit);
  }

 private:
  float px(float at_one) const { return at_one * look_.unit / 8; }
  void rank(Rank rank);
  ImVec2 label(Rank rank, const Corner& box);
  void bars(Rank rank, const Corner& area);
  void bar(Rank rank, ChunkId chunk, const Corner& place);
  void share(Rank rank, const Corner& area);
  void outline(Rank rank, const Corner& box, float round);
  bool is_wrong(Rank rank) const {
    return !run_.violations.empty() && run_.violations.front().slot.rank == rank;
  }
  double share_of(const Content& content) const {
    return double(run_.story->count(content.parts)) / run_.story->complete();
  }

  const RunView& view_;
  const stage::Scene& scene_;
  ImDrawList& list_;
  const Look& look_;
  const stage::StagedRun& run_;
};

void Ranks::outline(Rank rank, const Corner& box, float round) {
  const auto& model = view_.panel.model;
  const auto& hover = model.hover;
  const bool hot = hover.rank == rank || (hover.slot && hover.slot->rank == rank);
  const auto frame = [&](ImU32 colour, float width, float out) {
    list_.AddRect({box.min.x - out, box.min.y - out}, {box.max.x + out, box.max.y + out}, colour,
                  round, 0, width);
  };
  if (hot) frame(look_.colour.focus, px(1.5f), 0);
  if (!view_.is_rival && model.selected.rank == rank) frame(look_.colour.accent, px(2.5f), px(1));
  if (is_wrong(rank)) frame(look_.colour.bad, px(2.5f), px(2));
}

/// The name above the bars, of a low box the number beside them; returns the corner that is left to
/// them. None where there is no room for one.
ImVec2 Ranks::label(Rank rank, const Corner& box) {
  const float width = box.max.x - box.min.x, height = box.max.y - box.min.y;
  const std::string name = rank_name(look_, run_, rank), number = std::to_string(rank.value);
  const auto fits = [&](ImFont* font) { return measure(font, "0").y <= height * 0.55f; };
  const bool roomy = width > px(78) && fits(look_.strong);
  ImFont* font = roomy ? look_.strong : look_.small;
  const std::string& text = measure(font, name.c_str()).x <= width - px(14) ? name : number;
  const ImVec2 size = measure(font, text.c_str());
  if (size.x > width - px(2)) return box.min;
  if (!fits(font)) {
    const ImVec2 beside = measure(font, number.c_str());
    if (beside.y > height || 4 * beside.x > width) return box.min;
    write(list_, {box.min.x + px(6), (box.min.y + box.max.y - beside.y) / 2},
          {font, look_.colour.ink}, number.c_str());
    return {box.min.x + px(6) + beside.x, box.min.y};
  }
  const float top = box.min.y + (roomy ? px(4) : px(1));
  write(list_, {roomy ? box.min.x + px(8) : (box.min.x + box.max.x) / 2, top},
        {font, look_.colour.ink, roomy ? 0.f : 0.5f}, text.c_str());
  return {box.min.x, top + size.y};
}

void Ranks::rank(Rank rank) {
  const Corner box = to_screen(scene_.ranks[rank.value]);
  const float width = box.max.x - box.min.x, height = box.max.y - box.min.y;
  const float least = std::min(width, height);
  const float pad = std::clamp(least * 0.11f, 1.f, px(8)), round = std::min(px(8), least * 0.2f);
  list_.AddRectFilled(box.min, box.max, look_.colour.box, round);
  const ImVec2 free = label(rank, box);
  const ImVec2 corner{std::max(free.x + pad * 0.4f, box.min.x + pad),
                      std::max(free.y + pad * 0.4f, box.min.y + pad)};
  bars(rank, {corner, {box.max.x - pad, box.max.y - pad}});
  if (least > px(10)) list_.AddRect(box.min, box.max, look_.colour.edge, round);
  outline(rank, box, round);
}

/// Chunks too thin to see are one bar: the mean of all.
void Ranks::share(Rank rank, const Corner& area) {
  const std::uint32_t chunks = run_.schedule->chunks();
  double sum = 0;
  for (std::uint32_t c = 0; c < chunks; ++c)
    sum += share_of(run_.timeline->shown(rank, {c}, view_.now));
  list_.AddRectFilled(area.min, area.max, look_.colour.trough);
  const float full = static_cast<float>(sum / std::max(1u, chunks)) * (area.max.y - area.min.y);
  list_.AddRectFilled({area.min.x, area.max.y - full}, area.max, look_.colour.good);
}

void Ranks::bars(Rank rank, const Corner& area) {
  const std::uint32_t chunks = run_.schedule->chunks();
  const float pitch = (area.max.x - area.min.x) / static_cast<float>(std::max(1u, chunks));
  if (area.max.y - area.min.y < 2) return;
  if (pitch < 0.95f) return share(rank, area);
  const float gap = pitch >= px(6) ? px(2) : pitch >= 3 ? 1.f : 0.f;
  if (gap < 1) list_.AddRectFilled(area.min, area.max, look_.colour.trough);
  for (std::uint32_t c = 0; c < chunks; ++c) {
    const float x = area.min.x + static_cast<float>(c) * pitch;
    const Corner place{{x, area.min.y}, {x + pitch - gap, area.max.y}};
    if (gap >= 1) list_.AddRectFilled(place.min, place.max, look_.colour.trough, px(1.5f));
    bar(rank, {c}, place);
  }
}

void Ranks::bar(Rank rank, ChunkId chunk, const Corner& place) {
  const Content content = run_.timeline->shown(rank, chunk, view_.now);
  const auto full = static_cast<float>(share_of(content)) * (place.max.y - place.min.y);
  const Corner filled{{place.min.x, place.max.y - full}, place.max};
  if (full > 0) fill_chunk(list_, filled, run_.story->chunk(content.parts));
  if (run_.story->repeats(content.parts))
    list_.AddRect(filled.min, filled.max, look_.colour.bad, 0, 0, px(2));
  const auto& hover = view_.panel.model.hover;
  const bool hot = hover.chunk == chunk ||
                   (hover.slot && hover.slot->rank == rank && hover.slot->chunk == chunk);
  if (hot) list_.AddRect(place.min, place.max, look_.colour.focus, px(1.5f));
  if (is_wrong(rank) && run_.violations.front().slot.chunk == chunk &&
      run_.violations.front().slot.buffer != Buffer::scratch)
    list_.AddRect({place.min.x - px(1.5f), place.min.y - px(1.5f)},
                  {place.max.x + px(1.5f), place.max.y + px(1.5f)}, look_.colour.bad, px(2), 0,
                  px(2.5f));
}

}  // namespace

void draw_ranks(const RunView& view, const stage::Scene& scene, ImDrawList& list) {
  Ranks(view, scene, list).draw();
}

}  // namespace ringside::panels::detail
