#include "gpu/nccl/grouped_trace.hpp"

#include <algorithm>

namespace ringside::nccl {
namespace {

void take(const MessageEnd& end, const TurnTimes& turn, Span& span) {
  if (end.sends) {
    span.begin = std::min(span.begin, turn.began);
    span.read = std::max(span.read, turn.met);
  } else {
    span.arrival = std::max(span.arrival, turn.met);
  }
}

void take(const LocalWork& work, const TurnTimes& turn, const Schedule& schedule, Span& span) {
  span.commit = std::max(span.commit, turn.ended);
  if (!schedule[{work.transfer}].is_local()) return;
  span.begin = std::min(span.begin, turn.met);
  span.read = span.arrival = span.commit;
}

}  // namespace

std::vector<Span> spans_of(const Schedule& schedule, const GroupedPlan& plan,
                           const std::vector<std::vector<TurnTimes>>& times) {
  std::vector<Span> spans(schedule.transfers().size(), Span{{}, forever, {}, {}, {}});
  for (std::size_t r = 0; r < plan.ranks.size(); ++r)
    for (std::size_t t = 0; t < plan.ranks[r].turns.size(); ++t) {
      for (const MessageEnd& end : plan.ranks[r].ends_of(t))
        take(end, times[r][t], spans[end.transfer]);
      for (const LocalWork& work : plan.ranks[r].work_of(t))
        if (work.transfer != cuda::no_transfer)
          take(work, times[r][t], schedule, spans[work.transfer]);
    }
  for (std::uint32_t id = 0; id < spans.size(); ++id) {
    Span& span = spans[id];
    Duration data{};
    for (const Dependency& d : schedule.dependencies({id}))
      if (d.kind == DependencyKind::raw) data = std::max(data, spans[d.on.value].commit);
    if (span.begin == forever) span.begin = data;
    span.ready = std::min(data, span.begin);
    span.read = std::max(span.read, span.begin);
    span.arrival = std::max(span.arrival, span.begin);
    span.commit = std::max({span.commit, span.arrival, span.read});
  }
  return spans;
}

}  // namespace ringside::nccl
