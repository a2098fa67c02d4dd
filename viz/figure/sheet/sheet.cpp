#include "viz/figure/sheet/sheet.hpp"

#include <fmt/format.h>

#include "viz/figure/sheet/sections.hpp"

namespace ringside::figure {
namespace {

constexpr Said title{"Collective communication on one page", "集合通信一页通"};

/// Page size, fonts, title. Inter and WenQuanYi Micro Hei where they are: what else is there has
/// letters of about that width.
void draw_sheet_head(Page& page, const std::string& command) {
  Svg& svg = page.svg();
  svg.raw(fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"210mm\" "
      "height=\"297mm\" role=\"img\" xml:lang=\"{2}\">\n<title>{3}</title>\n",
      Page::width, Page::height, page.is_chinese() ? "zh-CN" : "en", page.say(title)));
  if (!command.empty()) svg.raw(fmt::format("<desc>{}</desc>\n", svg_escaped(command)));
  svg.raw(
      "<style>text{font-family:Inter,'WenQuanYi Micro Hei','Noto Sans CJK SC','Noto Sans "
      "SC','PingFang SC','Microsoft YaHei',sans-serif}</style>\n");
  svg.rect({0, 0, Page::width, Page::height}, attribute("fill", page.theme().page));
  page.line({Page::margin, 110}, page.say(title), {.size = 56, .bold = true});
  page.line({Page::width - Page::margin, 78}, "Ringside",
            {.size = 32, .bold = true, .anchor = Type::Anchor::end});
  page.line({Page::width - Page::margin, 110},
            page.say({"N ranks (one GPU each), S bytes a rank",
                      "N 个 rank（每个一块 GPU），每 rank S 字节"}),
            {.size = 24, .colour = page.theme().quiet, .anchor = Type::Anchor::end});
}

void draw_sheet_foot(Page& page) {
  page.line(
      {Page::margin, Page::height - 34},
      page.say({"Computed, not typed: buffers by proven schedules, times by the cost model, "
                "bandwidths from docs/systems.md. Beside a collective's name: busbw over algbw in "
                "nccl-tests, for N = 4.",
                "本页数值均由程序算出：缓冲区来自已证明的调度，时间来自代价模型，带宽见 "
                "docs/systems.md。各集合通信右上角：N = 4 时 nccl-tests 的 busbw 与 algbw 之比。"}),
      {.size = 21, .colour = page.theme().quiet}, Page::width - 2 * Page::margin);
}

}  // namespace

Result<std::string> draw_sheet(stage::Language language, const std::string& command) {
  Svg svg;
  Page page(svg, language);
  draw_sheet_head(page, command);
  constexpr double left = Page::margin, wide = Page::width - 2 * Page::margin;
  draw_collectives(page, {left, 136, wide, 846});
  draw_ring(page, {left, 1004, wide, 500});
  draw_costs(page, {left, 1524, wide, 440});
  RS_TRY(draw_wires(page, {left, 1984, 724, 926}));
  draw_map(page, {left + 762, 1984, wide - 762, 926});
  draw_sheet_foot(page);
  svg.close("svg");
  return svg.str();
}

}  // namespace ringside::figure
