#pragma once

#include <string>
#include <vector>

#include "core/report.hpp"
#include "core/result.hpp"

namespace ringside::scenario {

/// The straight line that a collective's times lie along: `start` + bytes / `rate`. The launch and
/// all else that does not hang on the size is in `start`.
struct Line {
  double start_us = 0;
  double us_per_byte = 0;
};

/// A log as one ring whose ports are all alike.
struct LogFit {
  CollectiveKind collective{};
  std::uint32_t ranks = 0;
  bool by_name = false;  ///< of rows that ran an algorithm they name (ran_by_name), or of others
  Line line{};
  Duration latency{};     ///< of one step of the ring
  Bandwidth bandwidth{};  ///< of a rank's port, one direction
  /// What both come to as one size after the other is left out.
  Duration least_latency{}, most_latency{};
  Bandwidth least_bandwidth{}, most_bandwidth{};
  std::size_t rows = 0;  ///< that the line was laid through

  Duration time(Bytes size) const;
  /// The size whose bytes take as long as what does not hang on them: below it, latency decides
  /// (n_1/2; R. W. Hockney, "The communication challenge for MPP", Parallel Computing 20 (1994)).
  double half_size() const { return line.start_us / line.us_per_byte; }
};

/// Whether the row is of what was fitted: its collective, on as many ranks, run alike.
bool is_of(const LogFit& fit, const Row& row);

/// By least squares of the relative errors, over the rows that are like the first one (is_of) and
/// do not stand out (core/formats/measured_log.hpp). Errors: the ranks are not known, or one; fewer
/// than three sizes; times that do not grow with them.
Result<LogFit> fit(const std::vector<Row>& rows);

/// Steps that follow each other in a ring: 2(N-1) of an all-reduce.
std::uint32_t ring_steps(CollectiveKind kind, std::uint32_t ranks);

/// What was fitted, and how well each figure is known, a sentence each.
std::vector<std::string> in_words(const LogFit& fit);

}  // namespace ringside::scenario
