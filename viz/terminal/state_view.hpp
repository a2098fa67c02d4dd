#pragma once

#include <string>

#include "core/replay.hpp"
#include "core/schedule.hpp"

namespace ringside::terminal {

/// How much ink the terminal takes.
struct Style {
  bool colour = false;  ///< ANSI bold and colours
  /// For standard output: colour on a terminal, unless NO_COLOR is set.
  static Style for_stdout();
};

/// `rank 0 sends c3 to rank 1, which adds it: 2000 + 3000 = 5000`; `replay` stands just before the
/// transfer's step or anywhere inside it.
std::string describe(const Schedule& schedule, TransferId id, const Replay& replay);

/// `s = 3 (4th of 7)`: steps count from 0, people from 1.
std::string describe_step(Step step, std::uint32_t steps);

/// What every slot holds, one rank a line: the value, and one mark a rank that is in it (`#` once,
/// `.` not yet, a digit if more often). Output where written, else input. Slots written by the
/// transfers [first, last) carry `<`. Wide schedules list only those slots.
std::string draw_state(const Schedule& schedule, const Replay& replay, TransferId first,
                       TransferId last, const Style& style);

}  // namespace ringside::terminal
