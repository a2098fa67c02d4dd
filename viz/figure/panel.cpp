// The results beside the circle: what came out, whether it is proven, who is in which chunk.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "core/verifier.hpp"
#include "sim/router.hpp"
#include "viz/figure/parts.hpp"

namespace ringside::figure {
namespace {

constexpr std::uint32_t most_columns = 16;  // chunks of which whose-part marks can be told apart

std::vector<std::string> wrapped(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > columns)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines;
}

/// Latency and bandwidth of the slowest connection that a schedule uses.
struct Cost {
  LinkCost worst{Duration{0}, Bandwidth{UINT64_MAX}};
  bool is_uniform = true;
};
std::optional<Cost> connection_cost(const PicturedRun& run) {
  sim::Router router(run.topology);
  std::optional<Cost> cost;
  for (const Transfer& t : run.schedule.transfers()) {
    if (t.is_local()) continue;
    const auto route = router.route(t.src().rank, t.dst().rank, t.channel());
    if (!route || route->empty()) return std::nullopt;
    LinkCost one{Duration{0}, Bandwidth{UINT64_MAX}};
    for (const LinkId link : *route) {
      one.latency += run.topology[link].latency;
      one.bandwidth = std::min(one.bandwidth, run.topology[link].bandwidth);
    }
    if (!cost) cost = Cost{one, true};
    auto& [worst, is_uniform] = *cost;
    is_uniform &= worst.latency == one.latency && worst.bandwidth == one.bandwidth;
    worst = {std::max(worst.latency, one.latency), std::min(worst.bandwidth, one.bandwidth)};
  }
  return cost;
}

std::string_view shape_name(Shape shape) {
  static constexpr std::string_view names[] = {"ring", "star", "full mesh", "torus", "hypercube"};
  return names[static_cast<std::size_t>(shape)];
}

class Panel {
 public:
  Panel(Svg& svg, const FigureContext& context, const Box& area)
      : svg_(svg), context_(context), area_(area), y_(area.y) {}

  void draw() {
    results();
    busiest();
    proof();
    formula();
    buffers();
  }

 private:
  void caption(std::string_view text) {
    y_ += 14;
    svg_.text({area_.x, y_}, "s13 b quiet", text);
  }
  void lines(const std::string& text, std::string_view classes) {
    for (const auto& line : wrapped(text, 46)) svg_.text({area_.x, y_ += 19}, classes, line);
  }
  void number(double x, const std::string& value, const std::string& meaning) {
    svg_.text({x, y_ + 34}, "s28 b", value);
    svg_.text({x, y_ + 56}, "s14 quiet", meaning);
  }
  void results();
  void busiest();
  void proof();
  void formula();
  void buffers();
  void buffer_row(std::uint32_t rank, const Box& row);

  Svg& svg_;
  const FigureContext& context_;
  Box area_;
  double y_;
};

void Panel::results() {
  caption("WHEN FINISHED");
  const Row& row = context_.run.row;
  const auto time = with_micro(to_string(context_.run.simulation.time));
  const auto space = time.find(' ');
  const auto rate = [](std::optional<double> value) {
    return value ? narrowed(*value, 5) : std::string("–");
  };
  number(area_.x, time.substr(0, space), time.substr(space + 1) + " time");
  number(area_.x + 116, rate(row.algbw()), "GB/s algbw");
  number(area_.x + 232, rate(row.busbw()), "GB/s busbw");
  y_ += 80;
}

void Panel::busiest() {
  const Row& row = context_.run.row;
  if (row.busiest_link.empty()) return;
  const double share = row.busiest_link_share.value_or(0);
  y_ += 12;
  svg_.text({area_.x, y_}, "s14 quiet", "busiest link " + busiest_to_string(row));
  svg_.text({area_.right(), y_}, "s14 e", fmt::format("{:.1f} %", share * 100));
  y_ += 8;
  svg_.rect({area_.x, y_, area_.width, 6}, attribute("fill", context_.theme.trough), 3);
  svg_.rect({area_.x, y_, area_.width * std::min(1.0, share), 6},
            attribute("fill", context_.theme.wire), 3);
  y_ += 22;
}

void Panel::proof() {
  const auto violations = verify(context_.run.schedule, 1);
  if (violations.empty())
    lines("✓ proven: every output holds what it must, whatever the timing", "s15 good");
  else
    lines("✗ wrong: " + to_string(violations.front(), context_.run.schedule), "s15 bad");
}

void Panel::formula() {
  const auto& plan = context_.run.plan;
  if (plan.algorithm == nullptr || plan.algorithm->predict == nullptr || !context_.run.row.size)
    return;
  const auto cost = connection_cost(context_.run);
  if (!cost) return;
  const auto predicted =
      plan.algorithm->predict(plan.spec, plan.options, *context_.run.row.size, cost->worst);
  const auto time = context_.run.simulation.time;
  std::string text =
      fmt::format("formula ({}{}): {}", shape_name(plan.algorithm->reference_shape),
                  cost->is_uniform ? "" : ", its slowest links", with_micro(to_string(predicted)));
  if (predicted == time)
    text += ", exactly equal";
  else if (predicted.picoseconds > 0)
    text += fmt::format(", simulated {:+.2g} %", 100.0 * double((time - predicted).picoseconds) /
                                                     double(predicted.picoseconds));
  y_ += 2;
  lines(text, "s14 quiet");
}

void Panel::buffers() {
  const auto chunks = context_.run.schedule.chunks();
  const auto ranks = context_.ranks();
  const double top = y_ + 62, room = area_.bottom() - top - 20;
  const double pitch = std::min(20.0, room / ranks);
  if (chunks > most_columns || ranks > most_columns || pitch < 6) return;
  y_ += 30;
  caption("BUFFERS");
  svg_.text({area_.right(), y_}, "s13 quiet e", "whose parts are in each chunk");
  const auto every = static_cast<std::uint32_t>(pitch < 13 ? 2 : 1);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const Box row{area_.x + 60, y_ + 12 + r * pitch, area_.width - 60, pitch};
    if (r % every == 0)
      svg_.text({area_.x, row.centre().y + 4.7}, "s13 quiet", context_.name_of({r}));
    buffer_row(r, row);
  }
  const double width = (area_.width - 60) / chunks;
  for (std::uint32_t c = 0; c < chunks; ++c)
    if (width >= 24 || c % 2 == 0)
      svg_.text({area_.x + 60 + (c + 0.5) * width - 1, y_ + 12 + ranks * pitch + 15}, "s13 quiet m",
                fmt::format("c{}", c));
}

void Panel::buffer_row(std::uint32_t rank, const Box& row) {
  const auto chunks = context_.run.schedule.chunks();
  const double width = row.width / chunks, gap = row.height >= 13 ? 3 : 1.5;
  for (std::uint32_t c = 0; c < chunks; ++c) {
    const auto value = context_.timeline.shown({rank}, {c}, context_.now);
    const Box cell{row.x + c * width, row.y + gap / 2, width - 3, row.height - gap};
    svg_.rect(cell, attribute("fill", context_.theme.panel), 2);
    const auto present = context_.contributors(value);
    const double tick = (cell.width - 2) / context_.ranks();
    for (std::uint32_t r = 0; r < context_.ranks(); ++r)
      if (present[r])
        svg_.rect({cell.x + 1 + r * tick, cell.y + 1, tick * 0.8, cell.height - 2},
                  attribute("fill", chunk_colour(context_.story.chunk(value.parts))));
  }
}

}  // namespace

void draw_panel(Svg& svg, const FigureContext& context, const Box& area) {
  Panel(svg, context, area).draw();
}

}  // namespace ringside::figure
