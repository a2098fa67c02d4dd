#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "viz/scenario/scenario.hpp"

namespace CLI {
class App;
}

namespace ringside::scenario {

/// All that `ringside view` takes, as text until read: what is run, how it is shown, and what is
/// done with it unattended. The terminal program checks it, the window obeys it.
struct ViewOptions {
  std::string share;    ///< `ring?ranks=8&t=...`: instead of the flags that say what is run
  std::string trace;    ///< a trace file, played instead of a simulation
  std::string log;      ///< measured times, drawn beside the curves
  bool beside = false;  ///< and the simulation of the same run beside it
  Scenario scenario;
  std::string t;                ///< where playback starts
  std::string theme, language;  ///< empty: as the settings say
  double scale = 0;             ///< 0: as the settings say
  std::uint32_t monitor = 0;    ///< 0: the first
  std::string size;             ///< `1920x1080`; empty: as the settings say

  std::string lesson, beat;     ///< empty: none is opened; where it was left
  std::uint64_t seed = 0;       ///< of a lesson's numbers
  bool present = false;         ///< a lesson in front of a class
  std::string lessons, ledger;  ///< a folder, a file; empty: the usual ones

  std::string script, dump_state, shot, record;
  bool bench = false, json = false, exit = false;
  double frame_dt = 0;  ///< seconds that every frame takes; 0: as long as it does

  void add_to(CLI::App& command);
  /// After parsing: what the flags say about the run is put on top of what the share string says.
  /// `extra` gets what the string says about the window. Errors: it is none.
  Result<void> read_share(const CLI::App& command);
  std::vector<std::pair<std::string, std::string>> extra;
  /// The fields of the scenario that flags set, with their values.
  std::vector<std::pair<std::string, std::string>> given;

  /// Something is made that must not depend on whose machine it is: settings are left alone.
  bool makes_something() const {
    return !dump_state.empty() || !shot.empty() || !record.empty() || bench;
  }
  /// Nobody needs to look: a display can be made up, and the window closes at the end.
  bool is_unattended() const { return makes_something() || exit; }
};

}  // namespace ringside::scenario
