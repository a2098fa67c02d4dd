#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viz/scenario/settings.hpp"
#include "viz/scenario/view_options.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage {

/// How the window begins: what `ringside view` was told, read and checked.
struct Opening {
  Model model;  ///< nothing is staged yet
  std::string trace;
  bool beside = false;  ///< of the trace: its simulation races it
  std::vector<std::pair<std::string, std::string>> given;  ///< for that: fields that flags set
  std::string lesson, beat;                                ///< to be opened; empty: none
  std::string ledger;  ///< where progress is kept; empty: nowhere
  /// Where playback starts: a time, or a share of the whole run, 0..1.
  std::optional<Duration> at;
  double at_share = 0;
  unsigned width = 1920, height = 1080;  ///< of the window, in pixels
};

/// `kept` is taken where the options say nothing; what makes no sense in it is passed over. With
/// `reads_system`, the system is read too (for its errors; standard input can be read only once).
/// Errors: one sentence with the flag's name.
Result<Opening> read(const scenario::ViewOptions& options, const scenario::Settings& kept,
                     bool reads_system);
/// What stands beside a recorded run: the same, simulated, with what was given instead of what the
/// file says of the machine. Errors: it makes no sense, or is another collective, number of ranks
/// or size.
Result<scenario::Scenario> simulation_beside(const Opening& opening, const StagedRun& recorded);
TimePoint starts_at(const Opening& opening, const StagedRun& run);

/// What is to be kept of a session.
scenario::Settings settings_of(const Model& model);

}  // namespace ringside::stage
