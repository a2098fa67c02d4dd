#include "gpu/cuda/interpreter/stamps.hpp"

#include <algorithm>
#include <limits>

namespace ringside::cuda::interpreter {
namespace {

constexpr auto never = std::numeric_limits<std::int64_t>::max();

/// Nanoseconds, by transfer.
struct Times {
  std::int64_t begin = never, read = 0, commit = 0;
};

void note(Times& times, Phase phase, std::int64_t begin, std::int64_t end) {
  if (phase != Phase::commit) {
    times.begin = std::min(times.begin, begin);
    times.read = std::max(times.read, end);
  }
  if (phase != Phase::read) times.commit = std::max(times.commit, end);
}

}  // namespace

std::vector<Span> spans_of(const Schedule& schedule, const DeviceProgram& program,
                           std::span<const Stamped> devices) {
  std::vector<Times> times(schedule.transfers().size());
  for (const Stamped& device : devices) {
    std::size_t next = 0;
    for (const TaskName& task : device.tasks)
      for (const auto& events : program.blocks[task.program].events) {
        const Stamp& stamp = device.stamps[next++];
        if (stamp.end == 0) continue;  // no window was left for this block
        const auto begin = static_cast<std::int64_t>(stamp.begin) - device.ahead_ns;
        const auto end = static_cast<std::int64_t>(stamp.end) - device.ahead_ns;
        for (const Event& event : events)
          note(times[event.transfer.value], event.phase, begin, end);
      }
  }
  auto start = never;
  for (const Times& t : times) start = std::min(start, t.begin);
  std::vector<Span> spans(times.size());
  for (std::uint32_t id = 0; id < spans.size(); ++id) {
    const Times& t = times[id];
    if (t.begin == never) continue;
    const auto since_start = [&](std::int64_t at) { return nanoseconds(at - start); };
    Span& span = spans[id];
    span.begin = since_start(t.begin);
    span.arrival = span.read = since_start(std::max(t.begin, t.read));
    span.commit = std::max(span.read, since_start(t.commit));  // clocks of two devices differ
    for (const Dependency& d : schedule.dependencies({id}))
      if (d.kind == DependencyKind::raw)
        span.ready = std::max(span.ready, spans[d.on.value].commit);
    span.ready = std::min(span.ready, span.begin);
  }
  return spans;
}

}  // namespace ringside::cuda::interpreter
