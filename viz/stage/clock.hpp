#pragma once

#include "viz/stage/model.hpp"

namespace ringside::stage {

// Time, as the user moves through it: playback, and the stretch that the space-time diagram shows.
// All are total: a model without a run has an empty time.

/// When the last of those that play is done: one clock for the run and its rival.
TimePoint end_of(const Model& model);
/// The last that can be looked at: the end, or a lesson's gate before it.
TimePoint last_moment(const Model& model);
/// All that the diagram has to show: the ghost too.
TimeWindow whole(const Model& model);

/// Simulated time that a second shows, so that a typical step lasts one to two seconds; one of the
/// round speeds.
Duration usual_speed(const StagedRun& run);
/// The next round speed (1, 2, 3 or 5 times a power of ten); the same at either end.
Duration faster(Duration per_second);
Duration slower(Duration per_second);

/// Stops at both ends. `seconds` that are negative or no number pass as none.
void pass_time(Model& model, double seconds);
void toggle_playing(Model& model);
/// To where the next or the previous step of any side ends, and pauses there.
void step_forward(Model& model);
void step_back(Model& model);
void seek(Model& model, TimePoint to);

/// The diagram's window: `at` keeps its place unless that would show what is before or after all.
void zoom(Model& model, TimePoint at, double factor);
void pan(Model& model, Duration by);
/// Onto the measured stretch, else what is selected, else all.
void focus(Model& model);
void measure(Model& model, TimePoint from, TimePoint to);

/// Where a new run finds the user: at the same share of its time, so that a slider does not lose
/// the place; at the same moment; or at the beginning.
enum class Place : std::uint8_t { share, moment, beginning };
/// How long all was, before a new run came.
struct Extent {
  TimePoint end;
  TimeWindow whole;
};
Extent extent_of(const Model& model);
void follow(Model& model, const Extent& before, Place place);

}  // namespace ringside::stage
