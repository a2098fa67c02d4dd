#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/report.hpp"
#include "core/verifier.hpp"
#include "sim/simulate.hpp"
#include "viz/scenario/scenario.hpp"
#include "viz/stage/phases.hpp"
#include "viz/stage/story.hpp"
#include "viz/stage/timeline.hpp"

namespace ringside::stage {

/// One run, ready to be looked at: all that panels draw comes from here. Immutable.
struct StagedRun {
  scenario::Scenario scenario;
  Row row;
  Plan plan;  ///< no algorithm: recorded, of one that this version does not know
  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<const sim::Topology> topology;  ///< agents seated
  sim::Payload payload;
  std::vector<Span> spans;            ///< by TransferId
  std::vector<sim::LinkUse> links;    ///< by LinkId; empty for a measured run
  std::string trace;                  ///< the file it was recorded in; empty: staged here
  bool is_measured = false;           ///< the spans were recorded on a real machine
  bool is_logical = false;            ///< a bare ring, or a machine unknown: no wire is real
  std::vector<Violation> violations;  ///< empty: proven
  std::string mistake;                ///< what was broken on purpose, one sentence; else empty
  std::vector<std::string> notes;     ///< taken for granted, left out: said to the user
  std::shared_ptr<const Story> story;
  std::optional<Phases> phases;
  std::shared_ptr<const Timeline> timeline;

  Duration time() const { return timeline->end(); }
  std::uint32_t ranks() const { return schedule->spec().ranks; }
  /// Links that the transfer crosses, in order; empty for a local one.
  std::span<const LinkId> route(TransferId id) const;
  Bytes size(TransferId id) const;  ///< that it carries

  std::vector<std::uint32_t> route_begin;  ///< by TransferId, into route_links
  std::vector<LinkId> route_links;
  std::vector<Bytes> sizes;
};
using Run = std::shared_ptr<const StagedRun>;

/// The effort of a run (sim/simulate.hpp) that people wait for, at most.
inline constexpr std::uint64_t ten_seconds = 500'000'000;

/// Builds, proves (a broken one keeps its violations) and simulates. `previous`, if it ran the same
/// schedule, lends it, and only the simulation is new: what a slider needs. Errors: one sentence;
/// `patience` had an end, which is also asked, with no effort, before building and simulating.
Result<Run> stage_run(const scenario::Scenario& scenario, const Run& previous = nullptr,
                      const sim::Patience& patience = sim::up_to(ten_seconds));

/// A run from a trace file (core/formats/trace_json.hpp; `-`: standard input), shown as recorded. A
/// simulated one stands on its machine, if simulating it again gives the same to the picosecond.
/// All others, as what was measured, stand on a logical one: each rank is joined to those it sends
/// to, by a wire as fast as its fastest message; `links` is empty. notes say so.
Result<Run> stage_trace(const std::string& path);

/// A picture of more would be a smear, and a story of more would not fit.
inline constexpr std::uint32_t most_ranks = 256;
inline constexpr std::uint64_t most_transfers = 1u << 20;

}  // namespace ringside::stage
