#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/collective.hpp"
#include "core/result.hpp"
#include "core/units.hpp"
#include "lessons/course/laboratory.hpp"

namespace ringside::lessons {

/// A schedule to be built: what it must do, and how well others did.
struct Puzzle {
  CollectiveSpec spec{};
  std::uint32_t chunks = 1;
  Bytes bytes{};
  std::string share{};  ///< the machine, ranks and size, as Laboratory::run_own takes it
  std::string start{}, solution{};  ///< text schedules
  struct Par {
    std::uint32_t steps = 0;
    Bytes busiest{};  ///< sent and received by the rank that does most of it
    Duration time{};
  } par{};
};

struct PuzzleGrade {
  bool correct = false;
  std::string problem{};  ///< the first thing wrong, one sentence; empty: proven
  std::uint32_t steps = 0;
  Bytes busiest{};
  Duration time{};
  bool within_steps = false, within_busiest = false, within_time = false;  ///< of par
  bool makes_par() const { return correct && within_steps && within_busiest && within_time; }
};

/// Proves and times a text schedule. Error: it cannot be read as one.
Result<PuzzleGrade> grade(const Puzzle& puzzle, std::string_view schedule_text,
                          const Laboratory& laboratory);

}  // namespace ringside::lessons
