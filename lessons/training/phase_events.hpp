#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lessons/training/training_run.hpp"

namespace ringside::training {

/// Who wrote a trace, and asked for what.
struct TraceOrigin {
  std::string version, command;
};

/// A training in the Trace Event Format, which Perfetto opens, piece by piece into `sink`: each
/// worker a process, its phases a thread; on further threads the messages of its all-reduces, where
/// the run kept them. Times are microseconds with three decimals.
Result<void> write_phase_events(const TrainingRun& run, const TraceOrigin& origin,
                                const std::function<Result<void>(std::string_view)>& sink);

}  // namespace ringside::training
