#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/step.hpp"

namespace ringside::stage {

/// A stretch in which a stage's GPUs compute nothing. Exposed: one of their messages, or one they
/// are sent, is on its way. Else a bubble.
struct Idle {
  TimePoint begin{}, end{};
  bool is_exposed = false;
};

/// What one stream of one stage's GPUs did, by time.
struct StepLane {
  std::uint32_t stage = 0;
  sim::StreamKind stream = sim::StreamKind::compute;
  std::vector<sim::StepSpan> spans;
  std::vector<Idle> idle;  ///< of a compute lane: all that is between its spans, adding up to
                           ///< TrainingStep::stages' exposed and bubble
};

/// A training step's timeline as lanes: stage by stage, computing first; streams that do nothing
/// are left out.
struct StepLanes {
  Duration time{};
  std::vector<StepLane> lanes;
};
StepLanes lanes_of(const sim::TrainingStep& step);

}  // namespace ringside::stage
