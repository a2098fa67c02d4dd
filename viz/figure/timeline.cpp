// The space-time diagram: ranks down, time across, a bar for everything a rank sends.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/figure/parts.hpp"

namespace ringside::figure {
namespace {

constexpr double thin = 4;               // a bar with less to see is colour alone
constexpr double unseen = 0.5;           // bars may overlap by so little
constexpr double visible_latency = 2.5;  // a tail thinner than this may lie under the next bar

struct Bar {
  TransferId id;
  std::uint32_t lane = 0;
};

class Timeline {
 public:
  Timeline(Svg& svg, const FigureContext& context, const Frame& frame)
      : svg_(svg), context_(context), area_(frame.timeline), field_(frame.field), row_(frame.row) {
    const double end = std::max(1.0, double(context.run.simulation.time.picoseconds));
    per_picosecond_ = field_.width / end;
    assign_lanes();
  }

  void draw() {
    svg_.text({area_.x, area_.y + 14}, "s13 b quiet", "WHAT EACH RANK SENDS");
    rows();
    steps();
    axis();
    for (const bool tails : {true, false})
      for (std::uint32_t r = 0; r < bars_.size(); ++r)
        for (const Bar& bar : bars_[r]) tails ? tail(r, bar) : solid(r, bar);
    marker();
  }

 private:
  double x(TimePoint t) const { return field_.x + double(t.picoseconds) * per_picosecond_; }
  double y(std::uint32_t rank) const { return field_.y + rank * row_; }
  bool takes_time(TransferId id) const {
    return !context_.run.schedule[id].is_local() ||
           context_.span(id).commit > context_.span(id).begin;
  }
  /// Until when a bar needs its lane for itself.
  TimePoint busy_until(TransferId id) const {
    const Span& span = context_.span(id);
    return x(span.arrival) - x(span.read) > visible_latency ? span.arrival : span.read;
  }
  Box place(std::uint32_t rank, const Bar& bar) const;

  void assign_lanes();
  void rows();
  void steps();
  void axis();
  void tail(std::uint32_t rank, const Bar& bar);
  void solid(std::uint32_t rank, const Bar& bar);
  void marker();
  /// What has not begun at the moment shown is paler.
  std::string paleness(TransferId id) const {
    return context_.span(id).begin > context_.now ? attribute("opacity", 0.42) : "";
  }

  Svg& svg_;
  const FigureContext& context_;
  Box area_, field_;
  double row_, per_picosecond_ = 0;
  std::vector<std::vector<Bar>> bars_;  // by rank, by begin
  std::vector<std::uint32_t> lanes_;    // by rank
};

/// Sends of one rank that overlap in time lie in lanes beside each other: each takes the first
/// that is free.
void Timeline::assign_lanes() {
  const auto& schedule = context_.run.schedule;
  bars_.resize(context_.participants());
  lanes_.assign(context_.participants(), 1);
  for (TransferId id{0}; id.value < schedule.transfers().size(); ++id.value)
    if (takes_time(id)) bars_[schedule[id].src().rank.value].push_back({id});
  for (std::uint32_t r = 0; r < bars_.size(); ++r) {
    std::stable_sort(bars_[r].begin(), bars_[r].end(), [&](const Bar& a, const Bar& b) {
      return context_.span(a.id).begin < context_.span(b.id).begin;
    });
    std::vector<TimePoint> free;
    for (Bar& bar : bars_[r]) {
      const auto lane = std::find_if(free.begin(), free.end(), [&](TimePoint t) {
        return x(t) <= x(context_.span(bar.id).begin) + unseen;
      });
      bar.lane = static_cast<std::uint32_t>(lane - free.begin());
      if (lane == free.end()) free.emplace_back();
      free[bar.lane] = busy_until(bar.id);
    }
    lanes_[r] = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(free.size()));
  }
}

/// From the first byte that leaves to the last.
Box Timeline::place(std::uint32_t rank, const Bar& bar) const {
  const Span& span = context_.span(bar.id);
  const double inner = row_ - (row_ >= 10 ? 3 : row_ >= 6 ? 1.5 : 0.5);
  const double lane = inner / lanes_[rank];
  const double gap = lane >= 5 && lanes_[rank] > 1 ? 1 : 0;
  return {x(span.begin), y(rank) + (row_ - inner) / 2 + bar.lane * lane,
          std::max(0.75, x(span.read) - x(span.begin)), lane - gap};
}

void Timeline::rows() {
  const auto every = static_cast<std::uint32_t>(std::ceil(13 / row_));
  for (std::uint32_t r = 0; r < context_.participants(); ++r) {
    if (row_ >= 6)
      svg_.rect({field_.x, y(r) + 1, field_.width, row_ - 2},
                attribute("fill", context_.theme.panel), 2);
    if (r % every == 0)
      svg_.text({area_.x, y(r) + row_ / 2 + 4.7}, "s13 quiet", context_.name_of({r}));
  }
}

/// The number of a step where its first transfer begins; as many as there is room for.
void Timeline::steps() {
  const auto& schedule = context_.run.schedule;
  svg_.text({area_.x, field_.y - 8}, "s13 quiet", "step s");
  double free = field_.x;
  for (Step step{0}; step.value < schedule.steps(); ++step.value) {
    TimePoint begin = forever;
    for (auto id = schedule.step_begin(step); id < schedule.step_end(step); ++id.value)
      if (takes_time(id)) begin = std::min(begin, context_.span(id).begin);
    if (begin == forever || x(begin) < free) continue;
    const auto label = std::to_string(step.value);
    if (x(begin) + text_width(label, 13) > field_.right()) continue;
    svg_.line({x(begin), field_.y - 18}, {x(begin), field_.y - 1},
              attribute("stroke", context_.theme.edge));
    svg_.text({x(begin) + 4, field_.y - 8}, "s13 quiet", label);
    free = x(begin) + text_width(label, 13) + 12;
  }
}

void Timeline::axis() {
  const double end = double(context_.run.simulation.time.picoseconds);
  if (end <= 0) return;
  double unit = std::pow(10, std::floor(std::log10(end / 8)));
  for (const double factor : {2.0, 2.5, 2.0})
    if (end / unit > 10) unit *= factor;
  for (double t = 0; t <= end; t += unit) {
    const TimePoint time{static_cast<std::int64_t>(t)};
    const auto label = t == 0 ? std::string("0") : with_micro(to_string(time));
    svg_.line({x(time), field_.bottom()}, {x(time), field_.bottom() + 5},
              attribute("stroke", context_.theme.edge));
    const bool last = x(time) + text_width(label, 13) / 2 > area_.right();
    svg_.text({last ? area_.right() : x(time), field_.bottom() + 21},
              last ? "s13 quiet e" : "s13 quiet m", label);
  }
}

/// From the last byte that leaves to the last that arrives: nothing but latency.
void Timeline::tail(std::uint32_t rank, const Bar& bar) {
  const Span& span = context_.span(bar.id);
  Box box = place(rank, bar);
  box.x = x(span.read);
  box.width = x(span.arrival) - box.x;
  if (box.width < 0.2) return;
  svg_.rect(box, attribute("class", "latency") +
                     attribute("fill", chunk_fill(context_.chunks_of(bar.id).front())) +
                     attribute("opacity", span.begin > context_.now ? 0.15 : 0.35));
}

void Timeline::solid(std::uint32_t rank, const Bar& bar) {
  const Box box = place(rank, bar);
  const auto chunks = context_.chunks_of(bar.id);
  const auto name = attribute("class", "bar") + attribute("id", fmt::format("t{}", bar.id.value));
  if (box.width < thin || box.height < thin) {
    svg_.rect(box, name + attribute("fill", chunk_colour(chunks.front())) + paleness(bar.id));
    return;
  }
  svg_.open("g", paleness(bar.id));
  draw_cargo(svg_, box, chunks, name);
  svg_.line({box.right(), box.y}, {box.right(), box.bottom()},
            attribute("stroke", context_.theme.page) + attribute("stroke-width", 1));
  if (box.height >= 13 && text_width(cargo_label(chunks), 13) + 6 < box.width)
    label_cargo(svg_, box, chunks);
  svg_.close("g");
}

void Timeline::marker() {
  const double at = x(context_.now);
  svg_.open("g", attribute("class", "moment") + attribute("fill", context_.theme.ink) +
                     attribute("stroke", context_.theme.ink));
  svg_.line({at, field_.y - 2}, {at, field_.bottom() + 4}, attribute("stroke-width", 2));
  svg_.path(fmt::format("M{},{} h10 l-5,-7 z", svg_number(at - 5), svg_number(field_.bottom() + 8)),
            "");
  svg_.close("g");
}

}  // namespace

void draw_timeline(Svg& svg, const FigureContext& context, const Frame& frame) {
  Timeline(svg, context, frame).draw();
}

}  // namespace ringside::figure
