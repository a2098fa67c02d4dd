// When each transfer happened, on one clock. Events of different devices cannot be compared: each
// device's own are compared with one whose time on the host's clock is known.

#include <algorithm>
#include <chrono>

#include "gpu/cuda/status.hpp"
#include "gpu/cuda/stream_run.hpp"

namespace ringside::cuda {
namespace {

Duration host_clock() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

/// An event on an idle device happens between two looks at the host's clock; of several tries the
/// one with the closest looks is kept.
Result<void> StreamRun::align_clocks() {
  constexpr int tries = 10;
  for (std::size_t d = 0; d < clocks_.size(); ++d) {
    const Stream& stream = home_[d];
    clocks_[d].error = forever;
    for (int i = 0; i < tries; ++i) {
      auto& [best, spare, at, error] = clocks_[d];
      const Duration before = host_clock();
      RS_TRY(check(cudaEventRecord(spare.get(), stream.get()), "record an event", stream.device()));
      RS_TRY(check(cudaEventSynchronize(spare.get()), "wait for an event", stream.device()));
      const Duration half{(host_clock() - before).picoseconds / 2};
      if (half >= error) continue;
      at = before + half;
      error = half;
      std::swap(best, spare);
    }
  }
  return {};
}

/// Ranks of one device share a clock.
Duration StreamRun::clock_error() const {
  if (clocks_.size() < 2) return {};
  std::vector<Duration> errors;
  for (const Reference& clock : clocks_) errors.push_back(clock.error);
  std::sort(errors.begin(), errors.end());
  return errors.back() + errors[errors.size() - 2];
}

Result<Duration> StreamRun::since_begin(const Event& event, const Events& events) const {
  const auto at = std::find_if(clocks_.begin(), clocks_.end(), [&](const Reference& clock) {
    return clock.event.device() == event.device();
  });
  RS_ASSIGN(const Duration begin, between(clocks_.front().event, events.begin));
  RS_ASSIGN(const Duration since, between(at->event, event));
  return std::max(Duration{}, (at->at + since) - (clocks_.front().at + begin));
}

Result<std::vector<Span>> StreamRun::spans(std::size_t iteration) const {
  const Events& events = events_[iteration % most_under_way];
  std::vector<Span> spans(schedule_.transfers().size());
  for (std::uint32_t id = 0; id < spans.size(); ++id) {
    const Milestones& milestones = plan_.milestones[id];
    Span& span = spans[id];
    RS_ASSIGN(span.begin, since_begin(events.began[milestones.read], events));
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
