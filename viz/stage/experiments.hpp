#pragma once

#include <string>
#include <string_view>

#include "viz/stage/director.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage {

// What changes what is run. Each changes the scenario and asks the director for the new run, or
// says in model.refusal why not and changes nothing else.

/// As Edit of action.hpp says. What no longer fits goes with it: another collective's algorithm,
/// what only generic links or only machines take, and faults of links that are gone.
void edit(Model& model, std::string_view field, std::string_view value, Director& director);
/// The scenario that such an edit leads to, as far as can be known without staging; `run`: the one
/// before, or null.
Result<scenario::Scenario> edited(const scenario::Scenario& before, std::string_view field,
                                  std::string_view value, const Run& run);
void open(Model& model, std::string_view share, Director& director);

/// The lead against another algorithm of its collective, on the same machine; what was measured,
/// against its own simulation; or the race is over.
void toggle_race(Model& model, Director& director);
/// The run stays as a ghost behind those to come; if it is its own ghost, no more.
void toggle_ghost(Model& model);

// Faults of what is selected. A link that is slow already, or a rank that is late, is put right.
void toggle_slow(Model& model, Director& director);
void kill(Model& model, Director& director);
void toggle_straggler(Model& model, Director& director);
void repair(Model& model, Director& director);
/// The next of core/mutation.hpp's mistakes that has a place in this schedule, where it does harm
/// if one is found soon; after the last, none.
void break_it(Model& model, Director& director);

/// The mistake that break_it() makes, as the field `mistake` takes it; empty: none.
std::string next_mistake(const StagedRun& run, std::string_view after);

/// What of a pick can be found in `run`, which came after `before`: links by their names.
Pick found_again(const Pick& pick, const StagedRun& before, const StagedRun& run);

}  // namespace ringside::stage
