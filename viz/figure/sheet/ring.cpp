// The ring in as many pictures as it has steps: who sends what, and what everyone then holds.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/replay.hpp"
#include "viz/figure/sheet/sections.hpp"

namespace ringside::figure {
namespace {

constexpr std::uint32_t ring_ranks = 5;
constexpr double seat = 21;  // radius of a rank

Point on_circle(const Box& area, double place) {
  const double angle = 2 * std::numbers::pi * place / ring_ranks - std::numbers::pi / 2;
  constexpr double radius = 91;
  const Point centre{area.centre().x, area.y + seat + 2 + radius};
  return centre + radius * Point{std::cos(angle), std::sin(angle)};
}

/// Who sends which chunk to whom.
void draw_round(Page& page, const Schedule& schedule, Step step, const Box& area) {
  Svg& svg = page.svg();
  for (auto id = schedule.step_begin(step); id < schedule.step_end(step); ++id.value) {
    const Transfer& transfer = schedule[id];
    if (transfer.is_local()) continue;
    const Point from = on_circle(area, transfer.src().rank.value),
                to = on_circle(area, transfer.dst().rank.value);
    const Point along = 1 / stage::length(to - from) * (to - from);
    const ChunkId chunk = transfer.src().chunk;
    page.arrow(from + (seat + 2) * along, to - (seat + 3) * along, page.theme().quiet, 3);
    const Point middle = mix(from, to, 0.47);
    svg.circle(middle, 15.5,
               attribute("fill", chunk_colour(chunk)) + attribute("stroke", "#ffffff") +
                   attribute("stroke-width", 2));
    page.line(
        middle + Point{0, 6.4}, fmt::format("c{}", chunk.value),
        {.size = 18, .colour = chunk_ink(chunk), .bold = true, .anchor = Type::Anchor::middle});
  }
  for (std::uint32_t r = 0; r < ring_ranks; ++r) {
    const Point at = on_circle(area, r);
    svg.circle(at, seat,
               attribute("fill", "#ffffff") + attribute("stroke", page.theme().ink) +
                   attribute("stroke-width", 2));
    page.line(at + Point{0, 8}, fmt::format("{}", r),
              {.size = 22, .bold = true, .anchor = Type::Anchor::middle});
  }
}

/// How many ranks' parts each chunk holds after the step, a rank a row.
void draw_holdings(Page& page, const Replay& replay, const Box& area) {
  Svg& svg = page.svg();
  const double names = 24, cell = (area.width - names) / ring_ranks, row = area.height / ring_ranks;
  for (std::uint32_t r = 0; r < ring_ranks; ++r) {
    page.line({area.x + names - 8, area.y + (r + 0.5) * row + 6.5}, fmt::format("{}", r),
              {.size = 18, .colour = page.theme().quiet, .anchor = Type::Anchor::end});
    for (std::uint32_t c = 0; c < ring_ranks; ++c) {
      const auto& after = replay.at(output(r, c));
      const auto& content = after ? after : replay.at(input(r, c));
      const double share = content ? double(content->contributors()) / ring_ranks : 0;
      const Box box{area.x + names + c * cell + 1.5, area.y + r * row + 1.5, cell - 3, row - 3};
      svg.rect(box, attribute("fill", page.theme().trough));
      svg.rect({box.x, box.y + (1 - share) * box.height, box.width, share * box.height},
               attribute("fill", chunk_colour({c})));
      if (share == 1)
        page.line({box.centre().x, box.centre().y + 6}, "✓",
                  {.size = 17, .colour = chunk_ink({c}), .anchor = Type::Anchor::middle});
    }
  }
}

/// What the first steps do, and the last.
void draw_halves(Page& page, const Box& area) {
  const double wide = (area.width - 18) / 2;
  const Said halves[] = {
      {"*Reduce-scatter*, N − 1 steps: what arrives is added, and the sum goes on",
       "*归约散发*，N − 1 步：到达的块先累加，部分和再传给下一个"},
      {"*All-gather*, N − 1 steps: what arrives is finished, kept and passed on",
       "*全收集*，N − 1 步：到达的块已完成，存下并继续传"}};
  for (std::size_t half = 0; half < 2; ++half) {
    const Box box{area.x + static_cast<double>(half) * (wide + 18), area.y, wide, area.height};
    page.svg().rect(box, attribute("fill", page.theme().panel), 8);
    page.line({box.centre().x, box.y + 27}, page.say(halves[half]),
              {.size = 24, .anchor = Type::Anchor::middle}, box.width);
  }
}

/// Counted in the schedule: what a rank sends, and all of them.
void draw_count(Page& page, const Schedule& schedule, const Box& area) {
  std::uint32_t messages = 0, of_rank_0 = 0;
  for (const Transfer& transfer : schedule.transfers()) {
    if (transfer.is_local()) continue;
    messages += transfer.chunks();
    of_rank_0 += transfer.src().rank.value == 0 ? transfer.chunks() : 0;
  }
  const double each = double(of_rank_0) / schedule.chunks(),
               all = double(messages) / schedule.chunks();
  page.line({area.x, area.y + 25},
            fmt::format(fmt::runtime(page.say(
                            {"Each rank sends {:.4g} S = 2(N − 1)/N · S, all of them {:.4g} S = "
                             "2(N − 1) S: as much as through one root, spread evenly. A step is no "
                             "barrier: who has the data goes on.",
                             "每个 rank 发送 {:.4g} S = 2(N − 1)/N · S，合计 {:.4g} S = 2(N − 1) "
                             "S：总字节数与经由单个根相同，但均匀分摊。步不是同步点：数据一到，该 "
                             "rank 就继续。"})),
                        each, all),
            {.size = 24, .colour = page.theme().quiet}, area.width);
}

}  // namespace

void draw_ring(Page& page, const Box& area) {
  const Schedule schedule = sheet_schedule({.ranks = ring_ranks}, "ring");
  const double top = page.heading(
      area, 2, {"All-reduce on a ring of five, step by step", "五个 rank 的环上全归约：逐步图解"},
      {"step s: rank r sends chunk (r − 1 − s) mod N on; below: what each rank then holds",
       "第 s 步：rank r 向下家发送第 (r − 1 − s) mod N 块；下方：此步之后各 rank 所持"});
  Replay replay(schedule);
  const double pitch = area.width / schedule.steps(), gap = 18;
  for (Step s{0}; s.value < schedule.steps(); ++s.value) {
    const double x = area.x + s.value * pitch + gap / 2, wide = pitch - gap;
    page.line({x + wide / 2, top + 64}, fmt::format("s = {}", s.value),
              {.size = 24, .bold = true, .anchor = Type::Anchor::middle});
    draw_round(page, schedule, s, {x, top + 74, wide, 205});
    replay.seek(schedule.step_end(s).value);
    draw_holdings(page, replay, {x, top + 292, wide, 106});
  }
  draw_halves(page, {area.x, top, area.width, 36});
  draw_count(page, schedule, {area.x, top + 403, area.width, 34});
}

}  // namespace ringside::figure
