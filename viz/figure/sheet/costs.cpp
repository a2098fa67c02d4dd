// What the algorithms cost by the alpha-beta model: formulas, figures from predict(), and curves.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "core/assert.hpp"
#include "core/engine.hpp"
#include "viz/figure/sheet/sections.hpp"

namespace ringside::figure {
namespace {

constexpr std::uint32_t cost_ranks = 8;
constexpr LinkCost wire{5_us, 100_GBps};

struct Method {
  std::string_view algorithm;
  Said name, steps, bytes;  ///< what stands before alpha, and before S/B
  std::string_view colour;
};
constexpr std::array<Method, 5> methods{{
    {"star", {"Star, one root", "星形（单个根）"}, {"2", "2"}, {"2(N − 1)", "2(N − 1)"}, "#171a1f"},
    {"binomial_tree", {"Binomial tree", "二项树"}, {"2L", "2L"}, {"2L", "2L"}, "#009e73"},
    {"recursive_doubling", {"Recursive doubling", "递归倍增"}, {"L", "L"}, {"L", "L"}, "#d55e00"},
    {"halving_doubling",
     {"Halving-doubling", "折半加倍"},
     {"2L", "2L"},
     {"2(N − 1)/N", "2(N − 1)/N"},
     "#b05f93"},
    {"ring", {"Ring", "环"}, {"2(N − 1)", "2(N − 1)"}, {"2(N − 1)/N", "2(N − 1)/N"}, "#0072b2"},
}};

Duration cost(const Method& method, Bytes size, const LinkCost& link) {
  const auto algorithm = find_algorithm(CollectiveKind::all_reduce, method.algorithm);
  RS_ASSERT(algorithm, "the sheet names algorithms there are");
  const auto plan = make_plan(**algorithm, {.ranks = cost_ranks}, {});
  RS_ASSERT(plan, "eight ranks suit all of them");
  return (*algorithm)->predict(plan->spec, plan->options, size, link);
}

/// `14 α + 1.75 S/B`, measured on predict(): with wires that are all latency, then all bandwidth.
std::string coefficients(const Method& method) {
  constexpr Duration second{1'000'000'000'000};
  const auto none = cost(method, 0_B, {second, 1_GBps});
  const auto all = cost(method, Bytes{8'000'000'000}, {Duration{0}, 8_GBps});
  return fmt::format("{:.4g} α + {:.4g} S/B", none.seconds(), all.seconds());
}

std::string for_people(Duration time) {
  const double us = time.microseconds();
  return us < 999.5 ? fmt::format("{:.3g} µs", us)
                    : fmt::format("{:.4g} ms", std::round(us / 10) / 100);
}

struct Column {
  Said title;
  double x;
};

void draw_table(Page& page, const Box& area) {
  constexpr Bytes sizes[] = {Bytes{1'000}, Bytes{1'000'000}, Bytes{1'000'000'000}};
  constexpr std::string_view size_names[] = {"1 KB", "1 MB", "1 GB"};
  const Column columns[] = {{{"all-reduce by", "全归约算法"}, 0},
                            {{"× α", "× α"}, 295},
                            {{"× S/B", "× S/B"}, 425},
                            {{"N = 8", "N = 8"}, 610}};
  const Type head{.size = 22, .colour = page.theme().quiet};
  for (const Column& column : columns)
    page.line({area.x + column.x, area.y + 30}, page.say(column.title), head);
  for (std::size_t i = 0; i < 3; ++i)
    page.line({area.x + 990 + 125 * static_cast<double>(i), area.y + 30}, size_names[i],
              {.size = 22, .colour = page.theme().quiet, .anchor = Type::Anchor::end});
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const Method& method = methods[m];
    const double y = area.y + 76 + 44 * static_cast<double>(m);
    page.svg().line({area.x, y - 32}, {area.right(), y - 32},
                    attribute("stroke", page.theme().faint) + attribute("stroke-width", 1.5));
    page.svg().rect({area.x, y - 19, 22, 22}, attribute("fill", method.colour), 5);
    page.line({area.x + 34, y}, page.say(method.name), {.size = 25, .bold = true}, 262);
    page.line({area.x + 295, y}, page.say(method.steps), {.size = 26}, 140);
    page.line({area.x + 425, y}, page.say(method.bytes), {.size = 26}, 180);
    page.line({area.x + 610, y}, coefficients(method), {.size = 24, .colour = page.theme().quiet});
    for (std::size_t i = 0; i < 3; ++i) {
      bool best = true;
      const auto time = cost(method, sizes[i], wire);
      for (const Method& other : methods) best &= time <= cost(other, sizes[i], wire);
      page.line({area.x + 990 + 125 * static_cast<double>(i), y}, for_people(time),
                {.size = 24,
                 .colour = best ? page.theme().good : page.theme().ink,
                 .bold = best,
                 .anchor = Type::Anchor::end},
                124);
    }
  }
}

/// Time against size, both axes logarithmic.
class CostChart {
 public:
  CostChart(Page& page, const Box& area) : page_(page), field_(area) {}

  void draw() {
    axes();
    for (const Method& method : methods) curve(method);
    crossing(methods[0], methods[4], {-16, -14});
    crossing(methods[1], methods[4], {15, 31});
    crossing(methods[2], methods[4], {18, 26});
  }

 private:
  static constexpr double from = 8e3, to = 2e8;   // bytes
  static constexpr double least = 9, most = 4e4;  // µs
  Point place(double bytes, double us) const {
    return {field_.x + field_.width * std::log(bytes / from) / std::log(to / from),
            field_.bottom() - field_.height * std::log(us / least) / std::log(most / least)};
  }
  static double us(const Method& method, double bytes) {
    return cost(method, Bytes{static_cast<std::uint64_t>(bytes)}, wire).microseconds();
  }

  void axes() {
    const Type type{.size = 20, .colour = page_.theme().quiet, .anchor = Type::Anchor::middle};
    const auto look = attribute("stroke", page_.theme().faint) + attribute("stroke-width", 1.5);
    const std::pair<double, std::string_view> sizes[] = {
        {1e4, "10 KB"}, {1e5, "100 KB"}, {1e6, "1 MB"}, {1e7, "10 MB"}, {1e8, "100 MB"}};
    for (const auto& [bytes, text] : sizes) {
      page_.svg().line(place(bytes, least), place(bytes, most), look);
      page_.line(place(bytes, least) + Point{0, 26}, text, type);
    }
    Type left = type;
    left.anchor = Type::Anchor::end;
    const std::pair<double, std::string_view> times[] = {
        {1e1, "10 µs"}, {1e2, "100 µs"}, {1e3, "1 ms"}, {1e4, "10 ms"}};
    for (const auto& [us, text] : times) {
      page_.svg().line(place(from, us), place(to, us), look);
      page_.line(place(from, us) + Point{-8, 7}, text, left);
    }
  }

  void curve(const Method& method) {
    std::string data;
    for (int i = 0; i <= 60; ++i) {
      const double bytes = from * std::pow(to / from, i / 60.0);
      const Point at = place(bytes, us(method, bytes));
      data += fmt::format("{}{},{} ", i == 0 ? "M" : "L", svg_number(at.x), svg_number(at.y));
    }
    page_.svg().path(data, attribute("fill", "none") + attribute("stroke", method.colour) +
                               attribute("stroke-width", 4.5));
  }

  /// Where two curves meet, by halving.
  void crossing(const Method& small, const Method& large, Point aside) {
    double low = from, high = to;
    for (int i = 0; i < 60; ++i) {
      const double middle = std::sqrt(low * high);
      (us(small, middle) < us(large, middle) ? low : high) = middle;
    }
    const Point at = place(low, us(large, low));
    page_.svg().circle(at, 9,
                       attribute("fill", "#ffffff") + attribute("stroke", small.colour) +
                           attribute("stroke-width", 4));
    page_.line(at + aside, fmt::format("{:.3g} MB", low / 1e6),
               {.size = 21,
                .colour = small.colour,
                .bold = true,
                .anchor = aside.x < 0 ? Type::Anchor::end : Type::Anchor::start});
  }

  Page& page_;
  Box field_;
};

}  // namespace

void draw_costs(Page& page, const Box& area) {
  const double top = page.heading(
      area, 3,
      {"What an all-reduce costs: latency α, bandwidth B", "全归约的代价：延迟 α 与带宽 B"},
      {"L = log₂ N; figures: N = 8, α = 5 µs a message, B = 100 GB/s one way",
       "L = log₂ N；数值取 N = 8，每条消息 α = 5 µs，单向带宽 B = 100 GB/s"});
  draw_table(page, {area.x, top, 1245, 290});
  page.paragraph(
      {area.x, top + 276, 1245, 104},
      page.say({"Small messages want few steps, large ones few bytes a port. The ring is *not "
                "always fastest*: up to the circles others win, and halving-doubling is never "
                "slower here; it needs N = 2ᵏ and wires between distant ranks. With N the ring's "
                "bytes grow from S to 2S only, its latency without end.",
                "小消息要步数少，大消息要每个端口字节少。环*并非总是最快*"
                "：圆圈左侧是别的算法更快，而折半加倍在此模型中从不更慢，只是要求 N = "
                "2ᵏ，并需要相距较远的 rank 之间的链路。N 增大时，环的字节数只从 S 增到 "
                "2S，延迟却一直增加。"}),
      {.size = 24});
  CostChart(page, {area.x + 1370, top + 12, area.width - 1370, 318}).draw();
}

}  // namespace ringside::figure
