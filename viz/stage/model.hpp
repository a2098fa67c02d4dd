#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/stage/curves.hpp"
#include "viz/stage/executors.hpp"
#include "viz/stage/forecast.hpp"
#include "viz/stage/lesson.hpp"
#include "viz/stage/measured.hpp"
#include "viz/stage/practice.hpp"
#include "viz/stage/refusal.hpp"
#include "viz/stage/staged_run.hpp"
#include "viz/stage/training.hpp"
#include "viz/stage/words.hpp"

namespace ringside::stage {

enum class Theme : std::uint8_t { dark, projector };

/// One thing that every view lights up. At most one field is set, or none.
struct Pick {
  std::optional<TransferId> transfer{};
  std::optional<Rank> rank{};
  std::optional<ChunkId> chunk{};
  std::optional<Slot> slot{};
  std::optional<LinkId> link{};
  friend bool operator==(const Pick&, const Pick&) = default;
};

/// The clock that people watch.
struct Playback {
  TimePoint now;
  bool is_playing = false;
  Duration per_second{};  ///< simulated time that a second shows
  bool chosen = false;    ///< the user set the speed: a new run keeps it
  /// Where the next run is to be looked at first, whatever plays now.
  std::optional<TimePoint> start;
  std::optional<TimePoint> gate;  ///< of a lesson: nothing gets past it
  std::optional<TimePoint> stop;  ///< where playing ends once, before the run does
};

/// The part of the run that the space-time diagram shows.
struct TimeWindow {
  TimePoint from, to;
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

/// Everything that is on the screen is a function of this, and every user action a change of it
/// (action.hpp). No SFML, no ImGui, no wall clock: tests drive it.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): by what belongs together
struct Model {
  scenario::Scenario scenario;  ///< what the controls say; `run` follows
  Run run;                      ///< what plays; null until the first is staged
  Wish wish;                    ///< what was asked for last
  Wish staged;                  ///< the last that something is, or was, staged for
  Refusal refusal;              ///< why something is not done; the last run stays
  double waiting = 0;           ///< seconds that what was asked for is not there yet
  bool runs_here = false;       ///< the scenario is being run for real
  /// What could run it for real here; empty: nobody has been asked yet.
  std::optional<std::vector<Executor>> executors;

  std::optional<scenario::Scenario> rival_scenario;  ///< race: the other side, on the same clock
  Run rival;
  Run ghost;  ///< fork: how it was before

  Playback playback;
  TimeWindow window;                  ///< of the space-time diagram
  std::optional<TimeWindow> measure;  ///< Shift-drag: a stretch of time and its length
  Pick hover, selected;

  std::string field;         ///< the control that has the keys, as Edit names it; empty: none
  bool edits_field = false;  ///< and its value is being typed or chosen

  Language language = Language::english;
  Theme theme = Theme::dark;
  double scale = 1;  ///< of everything, 1..4
  bool is_blank = false, is_full_screen = false, shows_help = false, shows_menu = false;
  /// What the lower right shows.
  enum class Side : std::uint8_t { curves, busbw, ranks, addition_tree } side = Side::curves;
  std::shared_ptr<const Curves>
      curves{};  ///< of the scenario's collective; null until there are any
  std::shared_ptr<const Measured> measured{};  ///< beside the curves of its collective; may be null
  enum class Layout : std::uint8_t { automatic, ring, machine } layout = Layout::automatic;
  /// What the window is about: the run, or the training that runs are for, on the same machine.
  enum class View : std::uint8_t { run, training_step, scaling, loss } view = View::run;
  Workload workload;
  std::shared_ptr<const Forecast> forecast;  ///< of the workload; null until there is any
  std::shared_ptr<const Practice> practice;  ///< the small training; null until there is any
  Drawing drawing;                           ///< of the scaling curve
  bool shows_values = false;                 ///< buffers: numbers instead of contributor ticks
  Classroom classroom;
  std::optional<LessonState> lesson{};  ///< that is being sat: it decides what is on the stage
  bool shows_lessons = false;           ///< the list of all, over everything
  bool has_quit = false;
};

}  // namespace ringside::stage
