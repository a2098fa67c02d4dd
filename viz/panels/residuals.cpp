#include "viz/panels/residuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "viz/panels/people.hpp"
#include "viz/panels/widgets.hpp"

namespace ringside::panels {
namespace {

using scenario::Badge;
using stage::Word;

/// Without the figure of a single dot.
const char* badge_name(const Look& look, Badge badge, const scenario::Limits& limits) {
  switch (badge) {
    case Badge::as_predicted:
      return look.say(Word::badge_as_predicted);
    case Badge::latency_bound:
      return look.say(Word::badge_latency_bound);
    case Badge::above_wire:
      return look.say(limits.in_switch ? Word::badge_in_switch : Word::badge_above_wire);
    case Badge::slower:
      return look.say(Word::badge_slower);
    case Badge::faster:
      return look.say(Word::badge_faster);
    case Badge::stands_out:
      break;
  }
  return look.say(Word::badge_stands_out);
}

}  // namespace

ImU32 badge_colour(const Look& look, Badge badge) {
  switch (badge) {
    case Badge::as_predicted:
      return look.colour.ink;
    case Badge::latency_bound:
      return chunk_colour({1});
    case Badge::above_wire:
    case Badge::faster:
      return look.colour.good;
    case Badge::slower:
      return look.colour.bad;
    case Badge::stands_out:
      break;
  }
  return look.colour.quiet;
}

std::string badge_words(const Look& look, const scenario::Residual& residual,
                        const scenario::Limits& limits) {
  std::string words = badge_name(look, residual.badge, limits);
  if (residual.badge == Badge::slower)
    words += fmt::format(fmt::runtime(look.say(Word::so_much_slower)), residual.off * 100);
  if (residual.badge == Badge::faster)
    words += fmt::format(fmt::runtime(look.say(Word::so_much_faster)), -residual.off * 100);
  return words;
}

LogLegend legend_of(const Look& look, const stage::Measured& log) {
  LogLegend legend;
  std::map<Badge, std::size_t> counts;
  for (const auto* residuals : {&log.residuals, &log.residuals_in_place})
    for (const auto& residual : *residuals) ++counts[residual.badge];
  for (const auto& [badge, count] : counts)
    legend.lines.push_back({fmt::format("{} {}", count, badge_name(look, badge, log.limits)),
                            badge_colour(look, badge)});
  if (log.fit) {
    legend.lines.push_back(
        {fmt::format(fmt::runtime(look.say(Word::log_fit)), people(log.fit->latency),
                     fmt::format("{:.3g} GB/s", log.fit->bandwidth.gigabytes_per_second())),
         0});
    const Bytes half{static_cast<std::uint64_t>(log.limits.half_size)};
    if (half.count > 0)
      legend.lines.push_back(
          {fmt::format(fmt::runtime(look.say(Word::log_half_size)), people(half)), 0});
  }
  legend.lines.push_back({log.origin, 0});
  return legend;
}

void draw_log_legend(const Look& look, const LogLegend& legend, const Corner& area) {
  const float line = measure(look.small, "0").y, dot = 1.25f * look.unit;
  const auto room =
      static_cast<std::size_t>(std::max(0.f, (area.max.y - area.min.y) * 0.72f / line));
  const std::size_t shown = std::min(legend.lines.size(), room);
  const float widest = area.max.x - area.min.x - look.unit;
  float wide = 0;
  for (std::size_t i = 0; i < shown; ++i)
    wide = std::max(wide, measure(look.small, legend.lines[i].text.c_str()).x +
                              (legend.lines[i].dot != 0 ? dot : 0));
  wide = std::min(wide, widest);
  if (shown == 0 || wide < 4 * dot) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(area.min,
                     {area.min.x + wide + look.unit,
                      area.min.y + static_cast<float>(shown) * line + look.unit / 2},
                     with_alpha(look.colour.panel, 0.82f), 3);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [text, colour] = legend.lines[i];
    ImVec2 at{area.min.x + look.unit / 2, area.min.y + static_cast<float>(i) * line};
    if (colour != 0) {
      list.AddCircleFilled({at.x + dot / 2 - 2, at.y + line / 2}, 3 * look.unit / 8, colour);
      at.x += dot;
    }
    write(list, at, {look.small, look.colour.quiet},
          shortened(look.small, wide - (colour != 0 ? dot : 0), text).c_str());
  }
}

}  // namespace ringside::panels
