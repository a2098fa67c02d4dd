#include "viz/panels/legend.hpp"

#include <algorithm>

namespace ringside::panels {
namespace {

using stage::Word;

float middle(const Corner& box) {
  return (box.min.y + box.max.y) / 2;
}
float width(const Corner& box) {
  return box.max.x - box.min.x;
}

void chunk(ImDrawList& list, const Look& look, const Corner& box) {
  const Corner half{box.min, {box.min.x + width(box) * 0.45f, box.max.y}};
  const Corner other{{box.max.x - width(box) * 0.45f, box.min.y}, box.max};
  for (const auto& [place, id] : {std::pair{half, ChunkId{1}}, std::pair{other, ChunkId{9}}}) {
    fill_chunk(list, place, id);
    const ImVec2 size = measure(look.small, "c1");
    write(list, {(place.min.x + place.max.x) / 2, middle(place) - size.y / 2},
          {look.small, chunk_ink(id), 0.5f}, id.value == 1 ? "c1" : "c9");
  }
}

void ticks(ImDrawList& list, const Look&, const Corner& box) {
  fill_chunk(list, box, {2});
  const float step = width(box) / 9;
  for (int i = 0; i < 8; ++i) {
    const float x = box.min.x + step * (static_cast<float>(i) + 0.6f);
    list.AddRectFilled({x, middle(box)}, {x + step * 0.6f, box.max.y - 2},
                       with_alpha(chunk_ink({2}), i < 3 ? 1.f : 0.25f));
  }
}

void bars(ImDrawList& list, const Look& look, const Corner& box) {
  const float step = width(box) / 4;
  for (int i = 0; i < 4; ++i) {
    const float x = box.min.x + step * static_cast<float>(i);
    const float tall = (box.max.y - box.min.y) * (0.25f + 0.25f * static_cast<float>(i));
    list.AddRectFilled({x, box.min.y}, {x + step * 0.7f, box.max.y}, look.colour.trough);
    list.AddRectFilled({x, box.max.y - tall}, {x + step * 0.7f, box.max.y},
                       chunk_colour({static_cast<std::uint32_t>(i)}));
  }
}

void load(ImDrawList& list, const Look& look, const Corner& box) {
  const float thick = look.unit * 0.3f;
  list.AddRectFilled({box.min.x, middle(box) - thick}, {box.max.x, middle(box) + thick},
                     with_alpha(look.colour.good, 0.3f));
  list.AddRectFilled({box.min.x, middle(box) - thick},
                     {box.min.x + width(box) / 2, middle(box) + thick}, look.colour.good);
}

void transfer(ImDrawList& list, const Look&, const Corner& box) {
  const float half = width(box) / 2;
  fill_chunk(list, {box.min, {box.min.x + half - 1, box.max.y}}, {0});
  fill_chunk(list, {{box.min.x + half + 1, box.min.y}, box.max}, {4}, 0.5f);
}

void playhead(ImDrawList& list, const Look& look, const Corner& box) {
  const float x = (box.min.x + box.max.x) / 2, s = look.unit * 0.6f;
  list.AddLine({x, box.min.y}, {x, box.max.y}, look.colour.focus, 2);
  list.AddTriangleFilled({x - s, box.min.y}, {x + s, box.min.y}, {x, box.min.y + s},
                         look.colour.focus);
}

void step_mark(ImDrawList& list, const Look& look, const Corner& box) {
  list.AddLine({box.min.x, middle(box)}, {box.max.x, middle(box)}, look.colour.trough, 3);
  for (const float at : {0.25f, 0.5f, 0.75f}) {
    const float x = box.min.x + width(box) * at;
    list.AddLine({x, box.min.y + 2}, {x, box.max.y - 2}, look.colour.quiet);
  }
}

void dotted(ImDrawList& list, const Look& look, const Corner& box) {
  const float x = (box.min.x + box.max.x) / 2;
  draw_dashes(list, {x, box.min.y}, {x, box.max.y}, {look.colour.ink, 1, 3, 2});
}

void crossing(ImDrawList& list, const Look& look, const Corner& box) {
  const float x = (box.min.x + box.max.x) / 2, s = look.unit * 0.6f;
  list.AddTriangleFilled({x - s, middle(box) + s}, {x + s, middle(box) + s}, {x, middle(box) - s},
                         look.colour.ink);
}

void framed(ImDrawList& list, ImU32 colour, const Corner& box) {
  list.AddRect(box.min, box.max, colour, 3, 0, 2);
}
void selected(ImDrawList& list, const Look& look, const Corner& box) {
  framed(list, look.colour.focus, box);
}
void wrong(ImDrawList& list, const Look& look, const Corner& box) {
  framed(list, look.colour.bad, box);
}

constexpr Mark marks[] = {
    {Word::mark_chunk, chunk},       {Word::mark_ticks, ticks},
    {Word::mark_bars, bars},         {Word::mark_load, load},
    {Word::mark_transfer, transfer}, {Word::mark_playhead, playhead},
    {Word::mark_step, step_mark},    {Word::mark_size, dotted},
    {Word::mark_crossing, crossing}, {Word::mark_selected, selected},
    {Word::mark_wrong, wrong},
};

}  // namespace

std::span<const Mark> legend() {
  return marks;
}

}  // namespace ringside::panels
