#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/assert.hpp"

namespace ringside {

Statistics statistics_of(std::span<const Duration> times) {
  RS_ASSERT(!times.empty(), "statistics are of something");
  std::vector<Duration> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = sorted.size();
  const auto percentile = [&](std::size_t percent) { return sorted[(n * percent + 99) / 100 - 1]; };
  double sum = 0, squares = 0;
  for (const Duration t : sorted) sum += static_cast<double>(t.picoseconds);
  const double mean = sum / static_cast<double>(n);
  for (const Duration t : sorted) squares += std::pow(static_cast<double>(t.picoseconds) - mean, 2);
  Statistics s{.iterations = n,
               .median = percentile(50),
               .min = sorted.front(),
               .max = sorted.back(),
               .mean = {std::llround(mean)},
               .p99 = percentile(99)};
  if (n > 1 && mean > 0) s.cv = std::sqrt(squares / static_cast<double>(n - 1)) / mean;
  return s;
}

}  // namespace ringside
