#pragma once

#include <string>

#include "viz/stage/model.hpp"

namespace ringside::stage {

/// All that the screen is a function of, as one JSON object, for tests and for programs that look
/// over the user's shoulder. Keys in a fixed order, a line a field and a line an item of what is
/// long: two moments can be compared by diff. Same model, same bytes.
///
///   {"ringside": 1, "command": "view", "share", "now_ps", "playing", "per_second_ps",
///    "window": {"from_ps", "to_ps"}, "measure", "hover", "selected", "language", "theme", "scale",
///    "blank", "full_screen", "help", "menu", "side", "layout", "values", "field", "edits_field",
///    "refusal", "executors", "quit", "view", "log", "lessons", "lesson", "training",
///    "practice", "run", "rival", "ghost"}
///
/// `lesson` is null while none is being sat:
///
///   {"lesson", "name", "seed", "beat", "beat_number", "beats", "asks", "gate", "attempts",
///    "hints", "entries": [], "last_answer", "misconceptions": [], "votes": [], "incomplete",
///    "complaint", "class", "covered", "placed", "finished"}
///
/// `training` is null until it has been looked at:
///
///   {"workload": {}, "set": [], "gpu", "no_step", "no_curve", "complete", "step": {"gpus",
///   "left_out",
///    "time_ps", "compute_ps", "exposed_ps", "bubble_ps", "communication_ps", "samples_per_second",
///    "memory_bytes", "lanes": []}, "drawn": {}, "compared", "missed_by",
///    "curve": {"points": [], "knee_gpus", "limit", "sentence"}}
///
/// `run` and `rival` are what plays at now_ps: null, or
///
///   {"share", "row", "ranks", "agents", "chunks", "steps", "time_ps", "measured", "proven",
///    "mistake", "notes": [], "violations": [], "numbers": {}, "links": [], "under_way": [],
///    "slots": [], "transfers": []}
///
/// `row` is a result row as all commands write it; `links` those that some transfer crosses (none
/// for a measured run: how it is wired is not known), with
/// the share of each that is in use now; `slots` those that hold something, with contributors,
/// value and last writer; `transfers` all, with their spans. Times are whole picoseconds. A slot is
/// [rank, buffer, chunk]. `ghost` says only what it is and how long it took.
std::string dump_state(const Model& model);

}  // namespace ringside::stage
