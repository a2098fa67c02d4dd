#include "viz/figure/figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/suggest.hpp"
#include "viz/figure/parts.hpp"

namespace ringside::figure {
namespace {

/// `halving_doubling`, `all_reduce` -> `Halving doubling all-reduce`.
std::string title_of(const PicturedRun& run) {
  std::string algorithm = run.row.algorithm, collective(name(run.row.collective));
  std::replace(algorithm.begin(), algorithm.end(), '_', ' ');
  std::replace(collective.begin(), collective.end(), '_', '-');
  static constexpr std::string_view acronyms[] = {"nvls", "pat", "sharp"};
  const bool is_acronym = std::ranges::find(acronyms, algorithm) != std::end(acronyms);
  for (std::size_t i = 0;
       i < (is_acronym ? algorithm.size() : std::min<std::size_t>(1, algorithm.size())); ++i)
    if (algorithm[i] >= 'a' && algorithm[i] <= 'z')
      algorithm[i] = static_cast<char>(algorithm[i] - 'a' + 'A');
  return algorithm + " " + collective;
}

/// `ring, 25 GB/s and 1 µs a link` where all links are alike, else the system's name.
std::string wiring_of(const sim::Topology& topology) {
  if (topology.links.empty()) return topology.name;
  const auto& first = topology.links.front();
  const bool alike = std::all_of(topology.links.begin(), topology.links.end(), [&](const auto& l) {
    return l.bandwidth == first.bandwidth && l.latency == first.latency;
  });
  if (!alike) return topology.name;
  return with_micro(fmt::format("{}, {} and {} a link", topology.name, to_string(first.bandwidth),
                                to_string(first.latency)));
}

std::string subtitle_of(const PicturedRun& run) {
  std::string text = counted(run.row.ranks, "rank");
  if (run.row.size && run.row.size->count > 0) {
    const auto exact = to_string(*run.row.size);
    const bool is_round = !exact.ends_with(" B") || run.row.size->count < 10'000;
    text += fmt::format(" · {} a rank",
                        is_round ? exact : "≈ " + about(static_cast<double>(run.row.size->count)));
  }
  text += " · " + wiring_of(run.topology);
  if (has_root(run.row.collective))
    text += fmt::format(" · root {}", run.schedule.spec().root.value);
  return text;
}

void draw_head(Svg& svg, const PicturedRun& run, const FigureOptions& options) {
  const Theme& theme = *options.theme;
  svg.raw(
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
                  "width=\"{0}\" height=\"{1}\" role=\"img\">\n",
                  Frame::width, Frame::height));
  svg.raw(fmt::format("<title>{}: {}</title>\n", svg_escaped(title_of(run)),
                      svg_escaped(subtitle_of(run))));
  // Not a comment: a command line holds `--`, which XML forbids there.
  if (!options.command.empty())
    svg.raw(fmt::format("<desc>{}</desc>\n", svg_escaped(options.command)));
  svg.raw("<style>\n" + style_sheet(theme) + "</style>\n<defs>\n" +
          hatch_definitions(run.schedule.chunks()));
  svg.raw(
      fmt::format("<marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                  "markerWidth=\"5\" markerHeight=\"5\" orient=\"auto\">"
                  "<path d=\"M0,0 8,4 0,8 z\" fill=\"{}\"/></marker>\n</defs>\n",
                  theme.wire));
  svg.rect({0, 0, Frame::width, Frame::height}, attribute("fill", theme.page));
  svg.rect({0, 0, Frame::width, 52}, attribute("fill", theme.panel));
  svg.raw(
      fmt::format("<text x=\"24\" y=\"33\"><tspan class=\"s20 b\">{}</tspan>"
                  "<tspan class=\"s15 quiet\" dx=\"14\">{}</tspan></text>\n",
                  svg_escaped(title_of(run)), svg_escaped(subtitle_of(run))));
  svg.text({Frame::width - 24, 33}, "s15 b quiet e", "Ringside");
}

/// Three tenths of the way of the first transfer of a step: clear of the middle, where ways cross.
TimePoint within(const PicturedRun& run, Step step) {
  const Span* first = nullptr;
  for (auto id = run.schedule.step_begin(step); id < run.schedule.step_end(step); ++id.value) {
    const Span& span = run.simulation.spans[id.value];
    if (run.schedule[id].is_local()) continue;
    if (first == nullptr || span.begin < first->begin) first = &span;
  }
  if (first == nullptr) {
    const auto id = run.schedule.step_begin(step);
    return id < run.schedule.step_end(step) ? run.simulation.spans[id.value].commit : TimePoint{0};
  }
  return first->begin + Duration{(first->arrival - first->begin).picoseconds / 10 * 3};
}

}  // namespace

Result<TimePoint> chosen_moment(const PicturedRun& run, const FigureOptions& options) {
  const auto steps = run.schedule.steps();
  if (options.at && options.at_step)
    return bad_request("--at and --at-step both choose the moment: give one of them");
  if (options.at) {
    if (*options.at <= run.simulation.time) return *options.at;
    return bad_request(fmt::format("--at {} is after the end: the run takes {}",
                                   to_string(*options.at), to_string(run.simulation.time)));
  }
  if (steps == 0) return TimePoint{0};
  if (!options.at_step) return within(run, Step{(steps - 1) / 2});
  if (options.at_step->value < steps) return within(run, *options.at_step);
  return bad_request(fmt::format("there is no step {}: {} {} has steps 0 to {}",
                                 options.at_step->value, run.row.algorithm,
                                 name(run.row.collective), steps - 1));
}

Result<std::string> draw_figure(const PicturedRun& run, const FigureOptions& options) {
  if (run.schedule.participants() > most_pictured)
    return bad_request(fmt::format("a figure shows at most {} ranks, not {}: take --ranks {}",
                                   most_pictured, run.schedule.participants(), most_pictured));
  if (run.schedule.transfers().size() > most_bars)
    return bad_request(
        fmt::format("a figure shows at most {} transfers, not {}: take fewer --chunks", most_bars,
                    run.schedule.transfers().size()));
  RS_ASSIGN(const TimePoint at, chosen_moment(run, options));
  const stage::Story story(run.schedule);
  const stage::Timeline timeline(run.schedule, story, run.simulation.spans);
  const FigureContext context{run, story, timeline, *options.theme, at, timeline.under_way(at)};
  const Frame frame(run.schedule.participants());
  Svg svg;
  draw_head(svg, run, options);
  draw_stage(svg, context, frame.stage);
  draw_panel(svg, context, frame.panel);
  draw_timeline(svg, context, frame);
  svg.close("svg");
  return svg.str();
}

}  // namespace ringside::figure
