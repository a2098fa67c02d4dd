#include "viz/stage/clock.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

namespace ringside::stage {
namespace {

constexpr double step_seconds = 1.414;  // that a step lasts by default: between one and two
constexpr Duration slowest = nanoseconds(1), fastest{1000 * std::int64_t{1'000'000'000'000}};
constexpr Duration narrowest = nanoseconds(1);  // window of the diagram
constexpr std::array<std::int64_t, 4> round_digits{1, 2, 3, 5};

/// Round speeds are never more than a factor of two apart, so that one of them always lets a step
/// last from one to two seconds.
template <typename Visit>
void each_round_speed(Visit visit) {
  for (std::int64_t power = slowest.picoseconds; power <= fastest.picoseconds; power *= 10)
    for (const std::int64_t digit : round_digits)
      if (digit * power <= fastest.picoseconds) visit(Duration{digit * power});
}

Duration nearest_speed(double picoseconds) {
  Duration best = slowest;
  const auto distance = [&](Duration d) {
    return std::abs(std::log(static_cast<double>(d.picoseconds) / picoseconds));
  };
  each_round_speed([&](Duration d) {
    if (distance(d) < distance(best)) best = d;
  });
  return best;
}

TimePoint end_of(const Run& run) {
  return run ? run->time() : TimePoint{};
}

std::initializer_list<Run Model::*> players() {
  static constexpr std::initializer_list<Run Model::*> both{&Model::run, &Model::rival};
  return both;
}

Duration scaled(Duration d, double factor) {
  return {std::llround(static_cast<double>(d.picoseconds) * factor)};
}

/// No wider than `all` and within it; as wide as it was, else.
TimeWindow clamped(const TimeWindow& window, const TimeWindow& all) {
  const Duration length = std::min(window.to - window.from, all.to - all.from);
  const TimePoint from = std::clamp(window.from, all.from, all.to - length);
  return {from, from + length};
}

/// From the first to the last moment of the transfers that fit.
template <typename Fits>
std::optional<TimeWindow> stretch_of(const StagedRun& run, Fits fits) {
  std::optional<TimeWindow> stretch;
  for (TransferId id{0}; id.value < run.spans.size(); ++id.value) {
    if (!fits(id)) continue;
    const Span& span = run.spans[id.value];
    if (!stretch) stretch = TimeWindow{span.begin, span.commit};
    stretch->from = std::min(stretch->from, span.begin);
    stretch->to = std::max(stretch->to, span.commit);
  }
  return stretch;
}

std::optional<TimeWindow> stretch_of(const StagedRun& run, const Pick& pick) {
  const Schedule& schedule = *run.schedule;
  if (pick.transfer) return stretch_of(run, [&](TransferId id) { return id == *pick.transfer; });
  if (pick.slot)
    return stretch_of(run, [&](TransferId id) {
      const Transfer& t = schedule[id];
      Slot last = t.dst();
      last.chunk.value += t.chunks() - 1;
      return last.rank == pick.slot->rank && last.buffer == pick.slot->buffer &&
             t.dst().chunk <= pick.slot->chunk && pick.slot->chunk <= last.chunk;
    });
  if (pick.chunk)
    return stretch_of(run, [&](TransferId id) {
      return run.story->chunk(run.story->cargo(id).parts) == *pick.chunk;
    });
  if (pick.link)
    return stretch_of(
        run, [&](TransferId id) { return std::ranges::count(run.route(id), *pick.link) > 0; });
  return std::nullopt;
}

}  // namespace

TimePoint end_of(const Model& model) {
  return std::max(end_of(model.run), end_of(model.rival));
}

TimePoint last_moment(const Model& model) {
  return std::min(end_of(model), model.playback.gate.value_or(end_of(model)));
}

TimeWindow whole(const Model& model) {
  return {{}, std::max(end_of(model), end_of(model.ghost))};
}

Duration usual_speed(const StagedRun& run) {
  const TimePoint end = run.time();
  if (end.picoseconds == 0) return microseconds(1);
  std::int64_t steps = 0;
  for (TimePoint t{}; t < end; t = run.timeline->after(t)) ++steps;
  return nearest_speed(static_cast<double>(end.picoseconds) / static_cast<double>(steps) /
                       step_seconds);
}

Duration faster(Duration per_second) {
  Duration next = fastest;
  each_round_speed([&](Duration d) {
    if (d > per_second) next = std::min(next, d);
  });
  return next;
}

Duration slower(Duration per_second) {
  Duration next = slowest;
  each_round_speed([&](Duration d) {
    if (d < per_second) next = std::max(next, d);
  });
  return next;
}

void pass_time(Model& model, double seconds) {
  Playback& playback = model.playback;
  if (!playback.is_playing || !(seconds > 0)) return;
  TimePoint end = last_moment(model);
  if (playback.stop && playback.now < *playback.stop) end = std::min(end, *playback.stop);
  const double by = seconds * static_cast<double>(playback.per_second.picoseconds);
  if (by >= static_cast<double>((end - playback.now).picoseconds)) {
    playback.now = end;
    playback.is_playing = false;
    playback.stop.reset();
  } else {
    playback.now += Duration{std::llround(by)};
  }
}

void toggle_playing(Model& model) {
  Playback& playback = model.playback;
  const TimePoint end = last_moment(model);
  if (!playback.is_playing && playback.now >= end && !playback.gate) playback.now = {};
  playback.is_playing = !playback.is_playing && end > playback.now;
}

void step_forward(Model& model) {
  const TimePoint now = model.playback.now;
  TimePoint next = last_moment(model);
  for (const auto side : players())
    if (const Run& run = model.*side; run && now < run->time())
      next = std::min(next, run->timeline->after(now));
  model.playback.is_playing = false;
  model.playback.now = next;
}

void step_back(Model& model) {
  const TimePoint now = model.playback.now;
  TimePoint last{};
  for (const auto side : players())
    if (const Run& run = model.*side) last = std::max(last, run->timeline->before(now));
  model.playback.is_playing = false;
  model.playback.now = last;
}

void seek(Model& model, TimePoint to) {
  model.playback.now = std::clamp(to, TimePoint{}, last_moment(model));
}

void zoom(Model& model, TimePoint at, double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) return;
  const TimeWindow all = whole(model), was = model.window;
  const double length = static_cast<double>((was.to - was.from).picoseconds);
  const double most = static_cast<double>((all.to - all.from).picoseconds);
  if (length <= 0 || most <= 0) return;
  const double least = std::min(most, static_cast<double>(narrowest.picoseconds));
  const double shrink = std::clamp(length / factor, least, most) / length;
  at = std::clamp(at, was.from, was.to);
  const TimePoint from = at - scaled(at - was.from, shrink);
  model.window = clamped({from, from + scaled(was.to - was.from, shrink)}, all);
}

void pan(Model& model, Duration by) {
  const TimeWindow all = whole(model), was = model.window;
  by = std::clamp(by, all.from - was.from, all.to - was.to);
  model.window = clamped({was.from + by, was.to + by}, all);
}

void focus(Model& model) {
  constexpr double margin = 0.25;
  const TimeWindow all = whole(model);
  std::optional<TimeWindow> stretch = model.measure;
  if (!stretch && model.run) stretch = stretch_of(*model.run, model.selected);
  model.window = all;
  if (!stretch || stretch->to <= stretch->from) return;
  const Duration room = scaled(stretch->to - stretch->from, margin);
  const TimeWindow wanted{std::max(all.from, stretch->from - room),
                          std::min(all.to, stretch->to + room)};
  model.window = clamped(wanted, all);
}

void measure(Model& model, TimePoint from, TimePoint to) {
  const TimeWindow all = whole(model);
  from = std::clamp(from, all.from, all.to);
  to = std::clamp(to, all.from, all.to);
  model.measure.reset();
  if (from != to) model.measure = TimeWindow{std::min(from, to), std::max(from, to)};
}

Extent extent_of(const Model& model) {
  return {end_of(model), whole(model)};
}

void follow(Model& model, const Extent& before, Place place) {
  const TimeWindow all = whole(model);
  const TimePoint end = end_of(model);
  double share = 1;
  if (place == Place::share && before.end > TimePoint{})
    share = static_cast<double>(end.picoseconds) / static_cast<double>(before.end.picoseconds);
  const TimePoint now = model.playback.now;
  seek(model, place == Place::beginning ? TimePoint{} : scaled(now, share));
  if (share != 1 || place == Place::beginning) model.measure.reset();
  const bool saw_all = model.window == before.whole || model.window == TimeWindow{};
  const TimeWindow same{scaled(model.window.from, share), scaled(model.window.to, share)};
  model.window = saw_all || place == Place::beginning ? all : clamped(same, all);
}

}  // namespace ringside::stage
