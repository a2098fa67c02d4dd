// When each transfer happened, on one clock.

#include <algorithm>

#include "gpu/cuda/stream_run.hpp"

namespace ringside::cuda {

Result<std::vector<Span>> StreamRun::spans(std::size_t iteration) const {
  const Events& events = events_[iteration % most_under_way];
  std::vector<Span> spans(schedule_.transfers().size());
  for (std::uint32_t id = 0; id < spans.size(); ++id) {
    const Milestones& milestones = plan_.milestones[id];
    Span& span = spans[id];
    RS_ASSIGN(span.begin, clocks_.between(events.begin, events.began[milestones.first]));
    RS_ASSIGN(span.read, clocks_.between(events.begin, events.ended[milestones.read]));
    RS_ASSIGN(span.arrival, clocks_.between(events.begin, events.ended[milestones.arrival]));
    RS_ASSIGN(span.commit, clocks_.between(events.begin, events.ended[milestones.commit]));
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
