// From a model that may be too large to the ways of training it in parallel, their collectives,
// NCCL and the wires; and what such maps often say wrong.

#include <fmt/format.h>

#include <array>
#include <string>

#include "sim/workload/memory.hpp"
#include "viz/figure/sheet/sections.hpp"

namespace ringside::figure {
namespace {

constexpr std::uint64_t weights = 7'500'000'000;
constexpr std::uint32_t gpus = 64;
constexpr std::string_view sum_colour = "#0072b2", part_colour = "#8a4f7d",
                           gather_colour = "#00795a", pair_colour = "#9a5b00";

/// GB that weights, gradients and Adam's states take on each of the GPUs.
double held(std::uint32_t zero) {
  const auto use = sim::model_states(weights, {.data = gpus, .zero = zero});
  return static_cast<double>(use.total().count) / 1e9;
}

struct Pill {
  Said text;
  std::string_view colour;
};
struct Parallel {
  Said name, split, traffic, where;
  std::array<Pill, 2> pills;  ///< one may be empty
};

std::array<Parallel, 4> parallels() {
  return {{
      {{"Data (DP)", "数据并行 DP"},
       {"A *full copy* and a batch of its own on each rank: saves *no* memory.",
        "每个 rank 都有*完整副本*，各算各的批次。吞吐更高，*不省*显存。"},
       {"of gradients, averaged, in buckets, behind the backward pass",
        "梯度求平均：每步一次，分桶进行，与反向传播重叠"},
       {"any wire, if hidden", "任何链路，能重叠即可"},
       {{{{"All-Reduce", "全归约"}, sum_colour}, {}}}},
      {{"ZeRO / FSDP", "ZeRO / FSDP"},
       {"Data parallel with *sharded* states, in stages 1, 2, 3.",
        "仍是数据并行，状态*分片*存放，有 1、2、3 三个阶段。"},
       {"of gradients; of parameters, in stage 3: 1.5 × DP's bytes",
        "前者用于梯度，后者取参数；阶段 3 流量为 DP 的 1.5 倍"},
       {"fast wires, to hide it", "链路要快，才能重叠"},
       {{{{"Reduce-Scatter", "归约散发"}, part_colour},
         {{"All-Gather", "全收集"}, gather_colour}}}},
      {{"Tensor (TP)", "张量并行 TP"},
       {"Each layer's matrices are *cut*: every GPU has a part of each.",
        "每层的矩阵按列、按行*切开*，每个 GPU 各存一部分。"},
       {"of activations, 2 forward and 2 backward a layer: computing *waits*",
        "激活：每层前向 2 次、反向 2 次，计算必须*等待*"},
       {"NVLink, in a node", "节点内的 NVLink"},
       {{{{"All-Reduce", "全归约"}, sum_colour}, {}}}},
      {{"Pipeline (PP)", "流水线并行 PP"},
       {"Groups of layers are *stages*; micro-batches flow through them.",
        "连续的若干层组成*阶段*，每 GPU 一段；微批依次流过。"},
       {"of activations to the next stage; bubble (p−1)/(m+p−1)",
        "把激活发给下一阶段；气泡 (p−1)/(m+p−1)"},
       {"also between nodes", "也可以跨节点"},
       {{{{"Send / Recv", "点对点收发"}, pair_colour}, {}}}},
  }};
}

void draw_question(Page& page, const Box& box) {
  page.svg().rect(box,
                  attribute("fill", "#ffffff") + attribute("stroke", page.theme().ink) +
                      attribute("stroke-width", 2.5),
                  14);
  page.line({box.x + 20, box.y + 38},
            page.say({"Does one GPU hold the whole model?", "一个 GPU 放得下整个模型吗？"}),
            {.size = 29, .bold = true});
  page.paragraph(
      {box.x + 20, box.y + 46, box.width - 36, box.height - 50},
      fmt::format(
          fmt::runtime(page.say(
              {"Weights, gradients and Adam's states: {:.0f} bytes a weight in mixed precision, so "
               "7.5 billion weights need *{:.0f} GB*, and activations come on top. Sharded over {} "
               "GPUs by ZeRO 1, 2, 3: *{:.1f}*, *{:.1f}*, *{:.1f} GB*.",
               "权重、梯度与 Adam 状态：混合精度下每个权重 {:.0f} 字节，75 亿权重需 *{:.0f} "
               "GB*，激活另计。用 ZeRO 1、2、3 分到 {} 个 GPU，每个只存 "
               "*{:.1f}*、*{:.1f}*、*{:.1f} GB*。"})),
          held(0) * 1e9 / weights, held(0), gpus, held(1), held(2), held(3)),
      {.size = 24});
}

void draw_parallel(Page& page, const Parallel& way, const Box& box) {
  page.panel(box);
  const double x = box.x + 14, room = box.width - 24;
  page.line({x, box.y + 38}, page.say(way.name), {.size = 27, .bold = true}, room + 8);
  double y = page.paragraph({x, box.y + 48, room, 200}, page.say(way.split), {.size = 22});
  y = std::max(y, box.y + 140.0) + 28;
  for (const Pill& pill : way.pills) {
    if (page.say(pill.text).empty()) continue;
    page.pill({x, y}, page.say(pill.text), pill.colour);
    y += 44;
  }
  y = page.paragraph({x, y - 20, room, box.bottom() - 50 - (y - 20)}, page.say(way.traffic),
                     {.size = 22});
  page.line({x, box.bottom() - 18}, page.say(way.where),
            {.size = 22, .colour = page.theme().good, .bold = true}, room + 6);
}

/// What a call passes through on its way to the wires.
void draw_layers(Page& page, const Box& box) {
  struct Layer {
    Said name, more;
    double share;
  };
  const Layer layers[] = {
      {{"Framework", "训练框架"}, {"DDP, FSDP, Megatron", "DDP、FSDP、Megatron"}, 0.225},
      {{"torch.distributed", "torch.distributed"}, {"process groups", "进程组"}, 0.205},
      {{"NCCL chooses", "NCCL 选择"},
       {"ring, tree, NVLS × LL, LL128, Simple", "ring、tree、NVLS × LL、LL128、Simple"},
       0.40},
      {{"GPU ↔ GPU", "GPU ↔ GPU"}, {"NVLink, PCIe, IB", "NVLink、PCIe、IB"}, 0.17}};
  const double gap = 26;
  double x = box.x;
  for (const Layer& layer : layers) {
    const double wide = layer.share * (box.width - 3 * gap);
    const Box one{x, box.y, wide, box.height};
    page.svg().rect(one, attribute("fill", "#eaf2f8"), 10);
    page.line({one.centre().x, one.y + 33}, page.say(layer.name),
              {.size = 24, .bold = true, .anchor = Type::Anchor::middle}, wide);
    page.line({one.centre().x, one.y + 63}, page.say(layer.more),
              {.size = 21, .colour = page.theme().quiet, .anchor = Type::Anchor::middle}, wide);
    x += wide + gap;
    if (&layer != &layers[3])
      page.arrow({x - gap + 3, one.centre().y}, {x - 3, one.centre().y}, page.theme().quiet, 4);
  }
}

void draw_corrections(Page& page, const Box& box) {
  const Said wrong[] = {
      {"*A model too large*: plain DP does not help, every rank holds all of it. ZeRO-3, TP, PP "
       "do.",
       "*模型太大*：普通 DP 无济于事，每个 rank 都要放下整个模型；能变小的是 ZeRO-3、TP、PP。"},
      {"*All-reduce* is not DP's alone: TP calls it in every layer.",
       "*全归约*不是 DP 专用：TP 每一层都要用。"},
      {"*Reduce-scatter* is no reduce to a root, then scatter: no rank ever holds the whole sum.",
       "*归约散发*不是先归约到根再散发：没有任何 rank 曾持有完整的和。"},
      {"*All-reduce* gives what reduce and broadcast would; a ring runs neither.",
       "*全归约*的结果等于先归约再广播，但环等算法并不这样执行。"}};
  page.svg().rect({box.x, box.y, 6, box.height}, attribute("fill", page.theme().bad), 3);
  page.line({box.x + 22, box.y + 26}, page.say({"Often drawn wrong", "常见的画错之处"}),
            {.size = 26, .colour = page.theme().bad, .bold = true});
  double y = box.y + 36;
  for (const Said& one : wrong)
    y = 5 + page.paragraph({box.x + 22, y, box.width - 22, box.bottom() - y}, page.say(one),
                           {.size = 23});
}

}  // namespace

void draw_map(Page& page, const Box& area) {
  const double top = page.heading(area, 5, {"From a large model to the wires", "从大模型到链路"});
  const Box question{area.x, top, area.width, page.is_chinese() ? 126.0 : 152.0};
  draw_question(page, question);
  const double gap = 16, wide = (area.width - 3 * gap) / 4;
  const Box cards{area.x, question.bottom() + 50, area.width, 370.0};
  const auto all = parallels();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Box card{area.x + static_cast<double>(i) * (wide + gap), cards.y, wide, cards.height};
    const double x = card.centre().x;
    const bool fits = i == 0;
    page.arrow({x, question.bottom() + 3}, {x, cards.y - 4},
               fits ? page.theme().good : page.theme().bad, 5);
    page.line({x + 18, question.bottom() + 33},
              fits ? page.say({"yes", "放得下"}) : page.say({"no", "放不下"}),
              {.size = 24, .colour = fits ? page.theme().good : page.theme().bad, .bold = true});
    draw_parallel(page, all[i], card);
  }
  draw_layers(page, {area.x, cards.bottom() + 14, area.width, 82});
  const double rest = cards.bottom() + 108;
  draw_corrections(page, {area.x, rest, area.width, area.bottom() - rest});
}

}  // namespace ringside::figure
