#pragma once

#include <utility>

#include "core/schedule_builder.hpp"

namespace ringside {

/// One rank whose two chunks change places twice, once within a step: a program must send to
/// itself.
inline Result<Schedule> local_swap() {
  ScheduleBuilder builder({.kind = CollectiveKind::broadcast, .ranks = 1}, 2);
  builder.copy(input(0, 0), scratch(0, 1));
  builder.copy(input(0, 1), scratch(0, 0));
  builder.next_step();
  builder.copy(scratch(0, 0), scratch(0, 1));
  builder.copy(scratch(0, 1), scratch(0, 0));
  builder.next_step();
  builder.copy(scratch(0, 0), output(0, 0), 2);
  return std::move(builder).build();
}

}  // namespace ringside
