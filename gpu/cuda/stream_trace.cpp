// When each transfer happened, on one clock. Events of two devices cannot be compared: each
// device's own are compared with one whose time on the first device's clock is known.

#include <algorithm>

#include "gpu/cuda/status.hpp"
#include "gpu/cuda/stream_run.hpp"
#include "gpu/cuda/waiting.hpp"

namespace ringside::cuda {
namespace {

/// What cudaEventElapsedTime is good for, as the runtime's documentation says.
constexpr Duration event_resolution = nanoseconds(500);

Result<void> record(const Event& event, const Stream& stream) {
  return check(cudaEventRecord(event.get(), stream.get()), "record an event", stream.device());
}
Result<void> wait(const Stream& stream, const Event& event) {
  return check(cudaStreamWaitEvent(stream.get(), event.get(), 0), "wait for an event",
               stream.device());
}

}  // namespace

/// Of several round trips the shortest is kept (Cristian, "Probabilistic clock synchronization",
/// 1989).
Result<void> StreamRun::align_clocks() {
  constexpr int tries = 10;
  for (auto& [best, spare] : clocks_) {
    best.half = forever;
    for (int i = 0; i < tries; ++i) {
      RS_TRY(make_round_trip(spare));
      if (spare.half < best.half) std::swap(best, spare);
    }
  }
  return {};
}

Result<void> StreamRun::make_round_trip(RoundTrip& trip) const {
  const Stream& first = home_.front();
  const auto other = std::find_if(home_.begin(), home_.end(), [&](const Stream& stream) {
    return stream.device() == trip.there.device();
  });
  RS_TRY(record(trip.out, first));
  RS_TRY(wait(*other, trip.out));
  RS_TRY(record(trip.there, *other));
  RS_TRY(wait(first, trip.there));
  RS_TRY(record(trip.back, first));
  RS_TRY(drain(first, options_.timeout, "record an event"));
  RS_ASSIGN(const Duration whole, between(trip.out, trip.back));
  trip.half = Duration{whole.picoseconds / 2};
  return {};
}

Duration StreamRun::clock_error() const {
  Duration most{}, second{};  // of two devices; the first has no error
  for (const Alignment& clock : clocks_) {
    if (clock.best.half > second) second = clock.best.half;
    if (second > most) std::swap(most, second);
  }
  return clocks_.empty() ? Duration{} : most + second + event_resolution;
}

Result<Duration> StreamRun::since_begin(const Event& event, const Events& events) const {
  if (event.device() == events.begin.device()) return between(events.begin, event);
  const auto at = std::find_if(clocks_.begin(), clocks_.end(), [&](const Alignment& clock) {
    return clock.best.there.device() == event.device();
  });
  const RoundTrip& trip = at->best;
  RS_ASSIGN(const Duration begin, between(trip.out, events.begin));
  RS_ASSIGN(const Duration since, between(trip.there, event));
  return std::max(Duration{}, trip.half + since - begin);
}

Result<std::vector<Span>> StreamRun::spans(std::size_t iteration) const {
  const Events& events = events_[iteration % most_under_way];
  std::vector<Span> spans(schedule_.transfers().size());
  for (std::uint32_t id = 0; id < spans.size(); ++id) {
    const Milestones& milestones = plan_.milestones[id];
    Span& span = spans[id];
    RS_ASSIGN(span.begin, since_begin(events.began[milestones.first], events));
    RS_ASSIGN(span.read, since_begin(events.ended[milestones.read], events));
    RS_ASSIGN(span.arrival, since_begin(events.ended[milestones.arrival], events));
    RS_ASSIGN(span.commit, since_begin(events.ended[milestones.commit], events));
    span.read = std::max(span.read, span.begin);
    span.arrival = std::max(span.arrival, span.begin);
    span.commit = std::max({span.commit, span.arrival, span.read});
    for (const Dependency& d : schedule_.dependencies({id}))
      if (d.kind == DependencyKind::raw)
        span.ready = std::max(span.ready, spans[d.on.value].commit);
    span.ready = std::min(span.ready, span.begin);
  }
  return spans;
}

}  // namespace ringside::cuda
