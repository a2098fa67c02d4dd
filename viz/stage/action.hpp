#pragma once

#include <string>
#include <variant>

#include "core/result.hpp"
#include "viz/stage/director.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage {

/// What needs no more words: every key, button and menu item. keys.hpp says which key does what.
enum class Command : std::uint8_t {
#define RINGSIDE_COMMAND(id) id,
#include "viz/stage/commands.def"
#undef RINGSIDE_COMMAND
};

/// A scenario's field by name, as typed: `ranks` = `16`. `rival.ranks` is the rival's and starts a
/// race if there is none. Without `rival.` it is the lead's, and the rival's where both agreed
/// before: sides differ in what they were told to differ in, and in nothing else. Wires are fields
/// too: `nvlink.bandwidth`, `pcie.latency`, `link.bandwidth` of a bare shape; a bare number is in
/// GB/s or us there. `train.model` and its like are the workload's (training.hpp).
struct Edit {
  std::string field, value;
};
/// A control gets the keys (empty: none has), and with `edits` its value is typed or chosen.
struct Focus {
  std::string field;
  bool edits = false;
};
struct Seek {
  TimePoint to;
};
struct Hover {
  Pick what;
};
struct Select {
  Pick what;
};
/// The diagram: `factor` > 1 shows less, and what is under `at` stays where it is.
struct Zoom {
  TimePoint at;
  double factor = 1;
};
struct Pan {
  Duration by;
};
struct Measure {
  TimePoint from, to;
};
/// A share string: all that it says is taken over.
struct Open {
  std::string share;
};
/// A lesson by number or name, at a beat: its id, or its number from 1; empty: where it was left.
struct OpenLesson {
  std::string lesson, beat;
};
/// A key 0 to 9: in a lesson an answer or a raised hand, else so many tenths of the run.
struct Digit {
  unsigned digit = 0;
};
/// A part of the answer, as it is being typed.
struct Enter {
  std::size_t nth = 0;
  std::string text;
};
/// The whole answer, locked in: as lessons::judge() takes it.
struct Answer {
  std::string text;
};
/// Real time that has passed, in seconds: the only clock there is.
struct Tick {
  double seconds = 0;
};

using Action = std::variant<Command, Edit, Focus, Seek, Hover, Select, Zoom, Pan, Measure, Open,
                            Draw, OpenLesson, Digit, Enter, Answer, Tick>;

/// Changes the model as the user asked; what must be staged anew is asked of the director. Never
/// fails: what makes no sense becomes model.refusal or changes nothing. `share`, `paste`,
/// `picture`, `csv`, `run_here` and its like are done by who has a clipboard, files and processes:
/// here they change nothing.
void apply(Model& model, const Action& action, Director& director);
/// Puts what the director has ready on the stage. True if something changed.
bool receive(Model& model, Director& director);
/// Nothing that is computed beside the stage is about to come: curves, forecasts, trainings.
bool is_up_to_date(const Model& model, Director& director);

}  // namespace ringside::stage
