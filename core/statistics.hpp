#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/units.hpp"

namespace ringside {

/// The middle one of all; of an even number, the mean of the two in the middle. Of one value or
/// more. Whatever Ringside calls a median is this.
double median(std::vector<double> values);
Duration median(std::vector<Duration> values);
Bandwidth median(std::vector<Bandwidth> values);

/// What many timed runs of one thing came to. p99 is by nearest rank: one of the times themselves.
struct Statistics {
  std::size_t iterations = 0;
  Duration median, min, max, mean;
  Duration p99;   ///< as small as possible with at least 99 % of the times not above it
  double cv = 0;  ///< coefficient of variation: standard deviation (n - 1) over mean; 0 for one run
};

/// Of one time or more.
Statistics statistics_of(std::span<const Duration> times);

}  // namespace ringside
