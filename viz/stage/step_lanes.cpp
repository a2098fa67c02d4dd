#include "viz/stage/step_lanes.hpp"

#include <algorithm>

namespace ringside::stage {
namespace {

using sim::StepSpan;
using sim::StreamKind;

/// Who may have to wait for a message: along the pipeline the stage that it is for.
std::uint32_t waiter(const StepSpan& span, std::uint32_t stages) {
  if (span.stream == StreamKind::next) return (span.stage + 1) % stages;
  if (span.stream == StreamKind::previous) return (span.stage + stages - 1) % stages;
  return span.stage;
}

struct Stretch {
  TimePoint begin, end;
};

/// Sorted and without overlaps.
std::vector<Stretch> joined(std::vector<Stretch> stretches) {
  std::ranges::sort(stretches, {}, &Stretch::begin);
  std::vector<Stretch> all;
  for (const Stretch& stretch : stretches) {
    if (!all.empty() && stretch.begin <= all.back().end)
      all.back().end = std::max(all.back().end, stretch.end);
    else
      all.push_back(stretch);
  }
  return all;
}

/// [from, to) in pieces: exposed where `talking` covers it.
void split(std::vector<Idle>& into, Stretch gap, const std::vector<Stretch>& talking) {
  TimePoint at = gap.begin;
  auto talk = std::ranges::upper_bound(talking, gap.begin, {}, &Stretch::end);
  for (; talk != talking.end() && talk->begin < gap.end; ++talk) {
    const TimePoint begin = std::max(talk->begin, at), end = std::min(talk->end, gap.end);
    if (at < begin) into.push_back({at, begin, false});
    into.push_back({begin, end, true});
    at = end;
  }
  if (at < gap.end) into.push_back({at, gap.end, false});
}

std::vector<Idle> idle_of(const std::vector<Stretch>& computing,
                          const std::vector<Stretch>& talking, TimePoint end) {
  std::vector<Idle> idle;
  TimePoint at{};
  for (const Stretch& busy : computing) {
    if (at < busy.begin) split(idle, {at, busy.begin}, talking);
    at = std::max(at, busy.end);
  }
  if (at < end) split(idle, {at, end}, talking);
  return idle;
}

}  // namespace

StepLanes lanes_of(const sim::TrainingStep& step) {
  const auto stages = static_cast<std::uint32_t>(step.stages.size());
  StepLanes all{step.time, {}};
  std::vector<std::vector<Stretch>> computing(stages), talking(stages);
  for (const StepSpan& span : step.timeline) {
    if (span.stream == StreamKind::compute)
      computing[span.stage].push_back({span.begin, span.end});
    else
      talking[waiter(span, stages)].push_back({span.begin, span.end});
    if (all.lanes.empty() || all.lanes.back().stage != span.stage ||
        all.lanes.back().stream != span.stream)
      all.lanes.push_back({span.stage, span.stream, {}, {}});
    all.lanes.back().spans.push_back(span);
  }
  for (StepLane& lane : all.lanes)
    if (lane.stream == StreamKind::compute)
      lane.idle = idle_of(joined(computing[lane.stage]), joined(talking[lane.stage]),
                          TimePoint{} + step.time);
  return all;
}

}  // namespace ringside::stage
