#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/schedule.hpp"

namespace ringside {

/// A schedule as text that people can write too: one transfer a line, dependencies left out because
/// they follow from the story.
///
///   {"ringside_schedule": 1, "collective": "broadcast", "ranks": 2, "root": 0, "in_place": false,
///    "chunks": 1, "agents": 0,
///    "steps": [[{"action": "copy", "from": [0, "input", 0], "to": [1, "output", 0],
///                "chunks": 1, "channel": 0}]]}
///
/// A slot is [rank, buffer, chunk]. A reduce may name its operand, `"with": [rank, buffer, chunk]`;
/// else that is its target. root (0), in_place (false), agents (0), chunks of a transfer (1) and
/// channel (0) may be left out. docs/schedule.schema.json says all of it to programs.
std::string schedule_to_json(const Schedule& schedule);

/// The schedule of such a text, not yet proven. An error says where in the text
/// (`/steps/3/0/from`), what was expected there and what was found. `name` is what to call the
/// text: its file's name.
Result<Schedule> schedule_from_json(std::string_view text, std::string_view name);

}  // namespace ringside
