#pragma once

#include <string>

#include "viz/panels/look.hpp"
#include "viz/stage/controls.hpp"
#include "viz/stage/staged_run.hpp"

namespace ringside::panels {

/// `All-Reduce`, `全归约`.
const char* name_of(const Look& look, CollectiveKind kind);
/// `Ring · All-Reduce`: what a run is called.
std::string title_of(const Look& look, const stage::StagedRun& run);
/// `GPU 3`; `rank 3` of a recorded run whose rank 3 is anything else.
std::string rank_name(const Look& look, const stage::StagedRun& run, Rank rank);
/// With what it is: `rank 3 · a thread`.
std::string rank_in_full(const Look& look, const stage::StagedRun& run, Rank rank);
/// What a recorded run's ranks are, in a sentence.
std::string recorded_on(const Look& look, const stage::StagedRun& run);
/// A control's value for people: names in their language, sizes and figures with units.
std::string shown(const Look& look, const stage::Control& control);
/// The same for one choice of a control's list.
std::string shown(const Look& look, std::string_view field, const std::string& value);

/// A system's name; of a file, without its folders.
std::string file_name(const std::string& system);

/// What is wrong with a run, where, in one sentence.
std::string phrase(const Look& look, const Violation& violation);
/// What was broken on purpose.
std::string mistake_of(const Look& look, const stage::StagedRun& run);
/// `14 × 1 µs + 1.75 × 256 MiB ÷ 25 GB/s`; empty where there is no such formula.
std::string formula_for(const Look& look, const stage::StagedRun& run);

}  // namespace ringside::panels
