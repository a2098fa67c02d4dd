#include "viz/stage/space_time.hpp"

#include <algorithm>
#include <cmath>

namespace ringside::stage {

double TimeAxis::x(TimePoint t) const {
  return left + (right - left) * static_cast<double>((t - window.from).picoseconds) /
                    static_cast<double>((window.to - window.from).picoseconds);
}

TimePoint TimeAxis::at(double pixel) const {
  const double u = std::clamp((pixel - left) / (right - left), 0.0, 1.0);
  return window.from +
         Duration{std::llround(u * static_cast<double>((window.to - window.from).picoseconds))};
}

Duration TimeAxis::span(double pixels) const {
  return {std::llround(pixels / (right - left) *
                       static_cast<double>((window.to - window.from).picoseconds))};
}

std::vector<TimePoint> round_moments(const TimeAxis& axis, double least_pixels) {
  const double least = std::max(1.0, static_cast<double>(axis.span(least_pixels).picoseconds));
  double step = std::pow(10, std::floor(std::log10(least)));
  for (const double times : {2.0, 2.5, 2.0, 2.0})  // 1, 2, 5, 10
    if (step < least) step *= times;
  const auto pitch = std::max<std::int64_t>(1, std::llround(step));
  std::vector<TimePoint> moments;
  for (std::int64_t t = (axis.window.from.picoseconds + pitch - 1) / pitch * pitch;
       t <= axis.window.to.picoseconds && moments.size() < 1000; t += pitch)
    moments.push_back({t});
  return moments;
}

SpaceTime::SpaceTime(const StagedRun& run) {
  const auto transfers = run.schedule->transfers();
  for (TransferId id{0}; id.value < transfers.size(); ++id.value) {
    const Span& span = run.spans[id.value];
    if (!transfers[id.value].is_local())
      bars_.push_back(
          {id, transfers[id.value].src().rank.value, 0, span.begin, span.read, span.arrival});
  }
  std::ranges::stable_sort(bars_, [](const Bar& a, const Bar& b) {
    return std::pair(a.row, a.begin) < std::pair(b.row, b.begin);
  });
  row_begin_.assign(run.schedule->participants() + 1, 0);
  for (const Bar& bar : bars_) ++row_begin_[bar.row + 1];
  for (std::size_t r = 1; r < row_begin_.size(); ++r) row_begin_[r] += row_begin_[r - 1];
  // The lowest lane that is free again; a sender's next message may overlap the last one's latency.
  for (std::uint32_t r = 0; r < rows(); ++r) {
    std::vector<TimePoint> busy_until;
    for (std::uint32_t i = row_begin_[r]; i < row_begin_[r + 1]; ++i) {
      Bar& bar = bars_[i];
      const auto free =
          std::ranges::find_if(busy_until, [&](TimePoint t) { return t <= bar.begin; });
      const auto lane = static_cast<std::uint32_t>(free - busy_until.begin());
      if (free == busy_until.end()) busy_until.emplace_back();
      busy_until[lane] = bar.read;
      bar.lane = lane % most_lanes;
      lanes_ = std::max(lanes_, bar.lane + 1);
    }
  }
  bar_of_.assign(transfers.size(), UINT32_MAX);
  for (std::uint32_t i = 0; i < bars_.size(); ++i) bar_of_[bars_[i].id.value] = i;
}

std::optional<TransferId> SpaceTime::hit(std::uint32_t r, std::uint32_t lane, TimePoint t) const {
  if (r >= rows()) return {};
  const auto bars = row(r);
  const auto after = std::ranges::upper_bound(bars, t, {}, &Bar::begin);
  // The latest that has begun covers it, or its latency tail does.
  for (auto it = after; it != bars.begin();) {
    --it;
    if (it->lane != lane) continue;
    if (t <= it->arrival) return it->id;
    return {};
  }
  return {};
}

const Bar* SpaceTime::find(TransferId id) const {
  if (id.value >= bar_of_.size() || bar_of_[id.value] == UINT32_MAX) return nullptr;
  return &bars_[bar_of_[id.value]];
}

}  // namespace ringside::stage
