#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/collective.hpp"
#include "core/formats/schedule_text.hpp"
#include "core/result.hpp"
#include "core/units.hpp"
#include "core/verifier.hpp"
#include "lessons/course/laboratory.hpp"
#include "lessons/course/text.hpp"

namespace ringside::lessons {

/// A schedule to be built: what it must do, and how well others did.
struct Puzzle {
  CollectiveSpec spec{};     ///< in place or not is the builder's choice
  std::uint32_t chunks = 1;  ///< 0: the builder's choice
  Bytes bytes{};
  std::string share{};  ///< the machine, ranks and size, as Laboratory::run_own takes it
  std::string start{}, solution{};  ///< text schedules
  /// Where 0, none is set, and whatever is right makes it.
  struct Par {
    std::uint32_t steps = 0;
    Bytes busiest{};  ///< sent and received by the rank that does most of it
    Duration time{};
  } par{};
};

/// Figures of a schedule that is not proven are those of what it does, right or not.
struct PuzzleGrade {
  bool correct = false;
  /// The first thing wrong, one sentence by Language; empty: proven.
  std::array<std::string, 2> problem{};
  std::uint32_t line = 0;  ///< where to look for it, from 1; 0: nowhere in particular
  std::uint32_t steps = 0;
  Bytes busiest{};
  Rank busiest_rank{};
  Duration time{};
  /// No schedule can do with less: bytes through the busiest port, proven by what all ranks must
  /// send together (an all-reduce: 2(N-1)/N S out and as much in); time, sim::lower_bound.
  Bytes least_busiest{};
  Duration least_time{};
  bool within_steps = false, within_busiest = false, within_time = false;  ///< of par

  bool makes_par() const { return correct && within_steps && within_busiest && within_time; }
  /// 0 while it is wrong; then one for that it is right, and one each for steps, port and time.
  std::uint32_t stars() const {
    return correct ? 1u + within_steps + within_busiest + within_time : 0u;
  }
};
inline constexpr std::uint32_t most_stars = 4;

/// Bytes or picoseconds within one part in a thousand of par: chunks are whole elements, and times
/// rounded up. No par (0) is always made.
constexpr bool is_within_par(std::uint64_t found, std::uint64_t par) {
  return par == 0 || found <= par + par / 1000;
}

/// Proves and times a text schedule. Error, one sentence: it cannot
/// be read as a schedule, is one for another collective, or is too long for any puzzle.
Result<PuzzleGrade> grade(const Puzzle& puzzle, std::string_view schedule_text,
                          const Laboratory& laboratory);

/// What is wrong, as one says it to somebody who wrote that line.
std::string in_words(const Violation& violation, const ScheduleText& told, Language language);

/// The bytes that each rank sends and receives over wires, together; the busiest of them.
struct BusiestPort {
  Rank rank{};
  Bytes bytes{};
};
BusiestPort busiest_port(const Schedule& schedule, const sim::Payload& payload);

}  // namespace ringside::lessons
