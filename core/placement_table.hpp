#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report.hpp"

namespace ringside {

/// The same work out of place and in place: one line of nccl-tests' table. A placement that was not
/// run, or cannot be, is absent.
struct Placements {
  std::optional<Row> out_of_place{}, in_place{};
};

/// nccl-tests' table of measured rows, with algorithm and executor behind: header, a line a size,
/// footer. What a row does not know is `N/A`.
struct PlacementTable {
  bool has_spread = false;  ///< min, max, p99 and coefficient of variation of each placement
  /// The simulated time of each placement, its error, and what share of the measured time the
  /// busiest link needs for its bytes.
  bool has_prediction = false;

  std::string header() const;
  std::string line(const Placements& placements) const;
};

/// What nccl-tests says at the end of all rows.
struct Verdict {
  std::size_t checked = 0, wrong = 0;     ///< rows: one a size and placement
  std::optional<double> average_busbw{};  ///< GB/s, over the rows that have one; no yardsticks
  std::size_t averaged = 0;               ///< how many those are
};
Verdict verdict(const std::vector<Row>& rows);
/// `# Out of bounds values : 0 OK` and `# Avg bus bandwidth    : 69.88`.
std::string footer(const Verdict& verdict);

}  // namespace ringside
