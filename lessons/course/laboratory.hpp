#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/report.hpp"
#include "core/schedule.hpp"
#include "core/trace.hpp"
#include "sim/simulate.hpp"
#include "sim/topology.hpp"

namespace ringside::lessons {

/// One run that a lesson shows or asks about: what was sent, on what, when.
struct Experiment {
  Row row;
  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<const sim::Topology> topology;
  sim::Payload payload;
  std::vector<Span> spans;          ///< by TransferId
  std::vector<sim::LinkUse> links;  ///< by LinkId
  Duration time{};                  ///< the last commit

  std::uint32_t ranks() const { return schedule->spec().ranks; }
};
using ExperimentPtr = std::shared_ptr<const Experiment>;

/// What lessons run. Handed in from outside, where share strings (`ring?ranks=8&bytes=64M`) are
/// understood and machines are known. The same string gives the same run; it may be kept.
/// Errors: one sentence.
struct Laboratory {
  std::function<Result<ExperimentPtr>(const std::string& share)> run;
  /// The same machine, ranks and size, with a schedule of one's own (of the same collective). It
  /// need not be right: it is simulated as told.
  std::function<Result<ExperimentPtr>(std::shared_ptr<const Schedule> schedule,
                                      const std::string& share)>
      run_own;
};

/// `start` `end` `35%` `step 2` (the moment before that step's first transfer begins; the number of
/// steps: the end). Errors name what was expected.
Result<TimePoint> moment(const Experiment& experiment, const std::string& at);

}  // namespace ringside::lessons
