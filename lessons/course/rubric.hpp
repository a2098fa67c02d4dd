#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lessons/course/puzzle.hpp"

namespace ringside::lessons {

/// What a schedule is marked for, in the order of Rubric::points.
enum class Criterion : std::uint8_t { right, steps, busiest, time };
inline constexpr std::array criteria{Criterion::right, Criterion::steps, Criterion::busiest,
                                     Criterion::time};
std::string_view name(Criterion criterion);  ///< `right` ...

/// How a teacher marks a schedule:
///
///   collective = "all_reduce"
///   ranks = 4
///   chunks = 4                       # left out: the student's choice
///   bytes = "64MB"
///   system = "system=ring&bandwidth=25GB/s&latency=1us"   # fields of a share string
///   pass = 8                         # points that pass; left out: whatever is right
///   [par]                            # what earns all points; of busiest and time, the proven
///   steps = 6                        # lower bound where left out
///   [points]
///   right = 4
///   steps = 2
///   busiest = 2
///   time = 2
struct Rubric {
  Puzzle puzzle{};
  std::array<std::uint32_t, criteria.size()> points{};  ///< by Criterion
  std::uint32_t pass = 0;

  std::uint32_t points_of(Criterion c) const { return points[static_cast<std::size_t>(c)]; }
};
/// Errors start `file:line: `.
Result<Rubric> parse_rubric(std::string_view toml, std::string_view file);

/// Hundredths of a point, so that marks add up.
struct Points {
  std::uint32_t hundredths = 0;
  friend constexpr auto operator<=>(Points, Points) = default;
};
std::string to_string(Points points);  ///< `2`, `1.92`

/// What a schedule earned. Nothing while it is wrong; else all of a criterion at par, and beyond it
/// the part that par is of what was needed: twice par earns half.
struct Marks {
  PuzzleGrade grade{};
  Puzzle::Par par{};                             ///< bounds filled in
  std::array<Points, criteria.size()> earned{};  ///< by Criterion
  Points total{};
  std::uint32_t of = 0;
  bool passed = false;

  Points earned_for(Criterion c) const { return earned[static_cast<std::size_t>(c)]; }
};
/// Errors: as grade().
Result<Marks> mark(const Rubric& rubric, std::string_view schedule_text,
                   const Laboratory& laboratory);
/// A line a criterion, the verdict last.
std::string to_string(const Marks& marks, const Rubric& rubric);

}  // namespace ringside::lessons
