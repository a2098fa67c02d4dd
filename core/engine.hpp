#pragma once

#include <cstdint>
#include <string>

#include "core/algorithm.hpp"
#include "core/backend.hpp"
#include "core/data.hpp"
#include "core/schedule.hpp"

namespace ringside {

/// One algorithm applied to one spec: what a result row names.
struct Plan {
  const Algorithm* algorithm = nullptr;
  CollectiveSpec spec;
  Options options;  ///< complete
};

/// Checks the spec, fills in the options and asks the algorithm whether it can.
Result<Plan> make_plan(const Algorithm& algorithm, const CollectiveSpec& spec,
                       const Options& given);

/// What rows call it: the algorithm's name, or that of the file whose schedule it retells.
std::string name(const Plan& plan);

/// Tells the story into a stored schedule. The schedule is what the algorithm said, not yet proven.
Result<Schedule> build_schedule(const Plan& plan);

/// Passes a schedule that verify() finds no fault in; else one sentence on the first fault
/// (ErrorKind::wrong).
Result<void> prove(const Schedule& schedule);
/// Built and proven: what may run.
Result<Schedule> build_proven(const Plan& plan);

/// How to run: the data, and what to time after the check.
struct Trial {
  DataKind data = DataKind::exact;
  std::uint64_t seed = 1;
  bool check = true;               ///< or only run and time
  bool repeat = false;             ///< run twice: the second run must give the same bits
  std::size_t misaligned = 1;      ///< elements that buffers start behind a 64-byte boundary
  int warmup = 0, iterations = 0;  ///< timed iterations; none: check only
  RunOptions run{};                ///< trace, executor, timeout
};

/// What came of it.
struct Outcome {
  /// Elements; wrong also counts damaged guards, changed sources and all-reduce outputs that differ
  /// between ranks. Nothing is checked on a backend without real bytes.
  Comparison comparison;
  Measurement measurement;  ///< of the timed iterations, or of the checked run if there are none
};

/// One sentence if the backend has no such executor; an empty name is its own choice.
Result<void> check_executor(const Backend& backend, const std::string& executor);
/// One sentence (ErrorKind::machine) if this process's buffers for the work, the schedule's scratch
/// included, are more than this machine has left. Nothing is allocated.
Result<void> check_room(const Backend& backend, const Work& work);

/// Runs a proven schedule on real data: poisons the outputs, fills in inputs, runs once, checks
/// every promised element; then warms up and times, and checks again where results repeat (out of
/// place). Wrong data is an Outcome, not an error; an error is a run that could not be.
Result<Outcome> execute(Backend& backend, const Work& work, const Trial& trial);

}  // namespace ringside
