// The collectives: what four ranks hold before, and after.

#include <fmt/format.h>

#include <optional>

#include "core/replay.hpp"
#include "viz/figure/sheet/sections.hpp"

namespace ringside::figure {
namespace {

constexpr std::uint32_t card_ranks = 4;
constexpr double card_gap = 18, row_height = 29, names_width = 30;

struct Card {
  CollectiveKind kind;
  std::string_view algorithm;
  Said name, meaning;
};

constexpr Card cards[] = {
    {CollectiveKind::broadcast,
     "binomial",
     {"Broadcast", "广播 Broadcast"},
     {"The *root's* vector, to everyone (here of rank 1): equal weights at first.",
      "*根*（此处 rank 1）的向量发给所有 rank。训练前让各副本的初始权重一致。"}},
    {CollectiveKind::reduce,
     "binomial",
     {"Reduce", "归约 Reduce"},
     {"The sum of all vectors, on the *root alone*: others get no result.",
      "所有向量之和，*只在根上*；其余 rank 没有结果。"}},
    {CollectiveKind::all_reduce,
     "ring",
     {"All-Reduce", "全归约 All-Reduce"},
     {"The sum, on *every* rank: gradients in DP, activations in TP.",
      "和，*每个 rank 都有*。数据并行用于梯度，张量并行用于激活。"}},
    {CollectiveKind::reduce_scatter,
     "ring",
     {"Reduce-Scatter", "归约散发 Reduce-Scatter"},
     {"Chunk r of the sum, on rank r: half of a ring all-reduce; ZeRO's *gradients*.",
      "rank r 得到和的第 r 块。环上全归约的前一半；ZeRO 用于*梯度*。"}},
    {CollectiveKind::all_gather,
     "ring",
     {"All-Gather", "全收集 All-Gather"},
     {"Everyone's block, on every rank: the other half; ZeRO's *parameters*.",
      "每个 rank 得到所有人的块。环上全归约的后一半；ZeRO 用于*参数*。"}},
    {CollectiveKind::all_to_all,
     "direct",
     {"All-to-All", "全交换 All-to-All"},
     {"Block c of rank r becomes block r of rank c: *transposed*. Tokens to experts.",
      "rank r 的第 c 块变成 rank c 的第 r 块，即*转置*。用于把 token 送往各专家。"}},
    {CollectiveKind::gather,
     "flat",
     {"Gather", "收集 Gather"},
     {"The *root* collects everyone's block; nothing is added.", "*根*收齐所有人的块，不做加法。"}},
    {CollectiveKind::scatter,
     "flat",
     {"Scatter", "散发 Scatter"},
     {"The *root* deals out its blocks, one to each rank.",
      "*根*把自己的块分给各 rank，一人一块。"}},
};

/// A rank a row, a chunk a column.
class Grid {
 public:
  Grid(Page& page, const Schedule& schedule, const Replay& replay)
      : page_(page), schedule_(schedule), replay_(replay) {}

  void draw(const Box& area, Buffer buffer) {
    const double cell = (area.width - names_width) / card_ranks;
    for (std::uint32_t r = 0; r < card_ranks; ++r) {
      const double y = area.y + r * row_height;
      page_.line({area.x + names_width - 12, y + row_height / 2 + 7}, fmt::format("{}", r),
                 {.size = 20, .colour = page_.theme().quiet, .anchor = Type::Anchor::end});
      for (std::uint32_t c = 0; c < card_ranks; ++c)
        this->cell({area.x + names_width + c * cell + 2, y + 1.5, cell - 4, row_height - 3},
                   replay_.at({{r}, buffer, {c}}));
    }
  }

 private:
  /// In the colour of the chunk that it came from: the decimal place of the number says which.
  static ChunkId chunk_of(double value) {
    ChunkId chunk{0};
    for (; value >= 15; value /= 10) ++chunk.value;
    return chunk;
  }

  void cell(const Box& box, const std::optional<Content>& content) {
    Svg& svg = page_.svg();
    svg.rect(box,
             attribute("fill", "#ffffff") + attribute("stroke", page_.theme().faint) +
                 attribute("stroke-width", 1.2),
             3);
    if (!content || content->contributors() == 0) return;
    const bool sums = reduces(schedule_.spec().kind);
    const bool is_part = sums && content->contributors() < card_ranks;
    const ChunkId chunk = chunk_of(content->value);
    svg.rect(
        box,
        attribute("fill", chunk_colour(chunk)) + (is_part ? attribute("fill-opacity", 0.28) : ""),
        3);
    page_.line({box.centre().x, box.centre().y + 7.5}, fmt::format("{:.0f}", content->value),
               {.size = 21,
                .colour = is_part ? page_.theme().ink : chunk_ink(chunk),
                .bold = !is_part,
                .anchor = Type::Anchor::middle},
               box.width);
  }

  Page& page_;
  const Schedule& schedule_;
  const Replay& replay_;
};

void draw_card(Page& page, const Card& card, const Box& box) {
  const Schedule schedule = sheet_schedule(
      {.kind = card.kind, .ranks = card_ranks, .root = {has_root(card.kind) ? 1u : 0u}},
      card.algorithm);
  Replay replay(schedule);
  page.panel(box);
  page.line({box.x + 18, box.y + 40}, page.say(card.name), {.size = 28, .bold = true});
  page.line({box.right() - 18, box.y + 39},
            fmt::format("× {:.4g}", busbw_factor(card.kind, card_ranks)),
            {.size = 20, .colour = page.theme().quiet, .anchor = Type::Anchor::end});
  const double tall = card_ranks * row_height;
  Box grid{box.x + 12, box.y + 54, box.width - 26, tall};
  Grid(page, schedule, replay).draw(grid, Buffer::input);
  page.arrow({grid.x + names_width + (grid.width - names_width) / 2, grid.bottom() + 4},
             {grid.x + names_width + (grid.width - names_width) / 2, grid.bottom() + 25},
             page.theme().quiet);
  grid.y += tall + 29;
  replay.seek(replay.length());
  Grid(page, schedule, replay).draw(grid, Buffer::output);
  page.paragraph({box.x + 18, grid.bottom() + 3, box.width - 34, box.bottom() - grid.bottom() - 6},
                 page.say(card.meaning), {.size = 22});
}

}  // namespace

void draw_collectives(Page& page, const Box& area) {
  const double top = page.heading(
      area, 1, {"The collectives, before and after", "集合通信：之前与之后"},
      {"Rows are ranks 0–3, columns chunks. Rank r puts (r + 2)·10ᶜ into chunk c, so 14 = 2+3+4+5.",
       "行是 rank 0–3，列是数据块。rank r 的第 c 块初值为 (r + 2)·10ᶜ，因此 14 = 2+3+4+5"});
  const double wide = (area.width - 3 * card_gap) / 4, tall = (area.bottom() - top - card_gap) / 2;
  for (std::size_t i = 0; i < std::size(cards); ++i) {
    const auto row = i / 4, column = i % 4;
    draw_card(page, cards[i],
              {area.x + static_cast<double>(column) * (wide + card_gap),
               top + static_cast<double>(row) * (tall + card_gap), wide, tall});
  }
}

}  // namespace ringside::figure
