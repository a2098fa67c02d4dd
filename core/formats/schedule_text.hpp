#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/schedule.hpp"

namespace ringside {

/// A schedule as people write it: ten lines are a ring of four.
///
///   all_reduce 4 ranks 4 chunks     # the header; each rank has one buffer, its chunks 0 to 3
///   step                            # all that a step reads is as it was before the step
///   0 -> 1: 0 +                     # rank 0's chunk 0 is added into rank 1's
///   1 -> 2: 1 +; 2 -> 3: 2 +        # several moves on one line
///   step 1: 3 -> 0: 2               # without the + it is copied; a step may say its number
///   0 -> 1: 2-3                     # two chunks as one message
///   0 -> 1: 0, 2 +                  # two messages, both added
///   0[3] -> 1[2] +                  # into another chunk
///   0 -> 0.scratch: 1               # a copy within a rank, to space of its own
///   0 -> 1: 1 + channel 2
///
/// The header goes on with `root 2`, `1 agent`, `out of place` where it must. Out of place (always,
/// where nothing else is possible) a rank has two buffers: `0.in -> 1.out: 3`, and a reduce may
/// name its operand, `0.in -> 1.out: 3 + in`, `0.in[3] -> 1.out[2] + in[2]`. Chunk c of a
/// collective of blocks is a position in the whole vector (core/schedule.hpp).
struct ScheduleText {
  Schedule schedule;                 ///< not yet proven
  std::vector<std::uint32_t> lines;  ///< by TransferId: the line, from 1, that tells it
};

/// An error says which line, what was expected there and what stands there. `name` is what to call
/// the text: its file's name.
Result<ScheduleText> schedule_from_text_lines(std::string_view text, std::string_view name);

/// The way back, a step a line where that is short. Comments do not survive.
std::string schedule_to_text(const Schedule& schedule);
/// One transfer as such a text says it: `2 -> 3: 1 +`.
std::string move_text(const Transfer& transfer, const CollectiveSpec& spec);

}  // namespace ringside
