#pragma once

#include <cstddef>
#include <span>

#include "core/units.hpp"

namespace ringside {

/// What many timed runs of one thing came to. Percentiles are by nearest rank: one of the times
/// themselves, so that one slow run of twenty moves the maximum alone.
struct Statistics {
  std::size_t iterations = 0;
  Duration median, min, max, mean;
  Duration p99;   ///< as small as possible with at least 99 % of the times not above it
  double cv = 0;  ///< coefficient of variation: standard deviation (n - 1) over mean; 0 for one run
};

/// Of one time or more.
Statistics statistics_of(std::span<const Duration> times);

}  // namespace ringside
