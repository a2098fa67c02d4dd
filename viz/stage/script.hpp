#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/director.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage {

/// What a user does, a line each, for films, tests and benchmarks. A `#` begins a comment.
///
///     key Right                     as keys.hpp names it
///     do fork                       a command by name
///     set ranks 16                  a field of the scenario; `set rival.algorithm star`
///     open ring?ranks=4             a share string
///     seek 12us | 35%
///     hover rank 3                  or: chunk 2, transfer 17, link gpu0->gpu1,
///     select slot output 2 5            slot BUFFER RANK CHUNK, none
///     zoom 12us 2                   the diagram, about that moment
///     pan -3us
///     measure 2us 5us
///     draw 1 1 8 6.5                the scaling curve from 1 GPU to 8; or on one: draw 8 6.5
///     lesson 3 [BEAT]               opens a lesson, at a beat
///     answer 179.2 MB               locks an answer in, as lessons::judge() takes it
///     enter 2 7 GiB                 the second field of an answer, not locked in
///     frames 30                     of 1/60 s, or as --frame-dt says
///     wait                          for what was asked to be staged
///     dump FILE | shot FILE         the state as JSON, the picture as PNG
///     read FILE                     all that is written on the screen: X Y WIDTH HEIGHT TEXT
///     move X Y | click X Y [right] | wheel X Y NOTCHES | drag X0 Y0 X1 Y1 [shift]
///     press NAME [right]            a button, a field or a menu's offer, by its name
///     press NAME 0.7                a slider, so far from its left end
///     type TEXT                     into what has the cursor; ends with Enter
///
/// Before every line but `set` what was asked for is waited for: the same script does the same
/// everywhere.
namespace script {

struct Press {
  std::string key;
};
struct SeekShare {
  double share = 0;  ///< of the whole run, 0..1
};
/// A link by its name, which only the run can look up.
struct PickLink {
  std::string name;
  bool selects = false;
};
struct Frames {
  std::uint32_t count = 0;
};
struct Wait {};
struct Dump {
  std::string file;
};

// What needs a screen. In pixels from the top left.
struct Shot {
  std::string file;
};
struct Read {
  std::string file;
};
struct Move {
  float x = 0, y = 0;
};
struct Click {
  float x = 0, y = 0;
  bool right = false;
};
struct Wheel {
  float x = 0, y = 0, notches = 0;
};
struct Drag {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool shift = false;
};
/// What panels call a thing (panels::touch's id).
struct PressThing {
  std::string name;
  float at = 0.5f;  ///< of its width
  bool right = false;
};
struct Type {
  std::string text;
};
using OnScreen = std::variant<Shot, Read, Move, Click, Wheel, Drag, PressThing, Type>;

struct Line {
  std::uint32_t number = 0;  ///< in the file, from 1
  std::variant<Action, Press, SeekShare, PickLink, Frames, Wait, Dump, OnScreen> deed;
};

}  // namespace script

struct Script {
  std::string file;
  std::vector<script::Line> lines;
};

/// Errors name file and line, what stands there and what was expected.
Result<Script> parse_script(std::string_view text, const std::string& file);
Result<Script> read_script(const std::string& path);

/// Who shows what a script does.
struct Screen {
  std::function<void()> frame;                               ///< lets one frame's time pass
  std::function<Result<void>(const script::OnScreen&)> act;  ///< null: such lines are errors
  std::function<Result<void>(const std::string& file)> dump;
  std::function<void(const Action&)> apply;  ///< null: stage::apply
  std::function<void()> wait;                ///< for what else is under way; null: nothing is
};

/// Line by line to the end, or until the model has quit. Errors name file and line.
Result<void> perform(const Script& script, Model& model, Director& director, const Screen& screen);

}  // namespace ringside::stage
