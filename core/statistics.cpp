#include "core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/assert.hpp"

namespace ringside {
namespace {

double halfway(double a, double b) {
  return std::midpoint(a, b);
}
Duration halfway(Duration a, Duration b) {
  return {std::midpoint(a.picoseconds, b.picoseconds)};
}
Bandwidth halfway(Bandwidth a, Bandwidth b) {
  return {std::midpoint(a.bytes_per_second, b.bytes_per_second)};
}

template <typename T>
T middle_of(std::vector<T>& values) {
  RS_ASSERT(!values.empty(), "a median is of something");
  std::sort(values.begin(), values.end());
  return halfway(values[(values.size() - 1) / 2], values[values.size() / 2]);
}

}  // namespace

double median(std::vector<double> values) {
  return middle_of(values);
}
Duration median(std::vector<Duration> values) {
  return middle_of(values);
}
Bandwidth median(std::vector<Bandwidth> values) {
  return middle_of(values);
}

Statistics statistics_of(std::span<const Duration> times) {
  RS_ASSERT(!times.empty(), "statistics are of something");
  std::vector<Duration> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = sorted.size();
  double sum = 0, squares = 0;
  for (const Duration t : sorted) sum += static_cast<double>(t.picoseconds);
  const double mean = sum / static_cast<double>(n);
  for (const Duration t : sorted) squares += std::pow(static_cast<double>(t.picoseconds) - mean, 2);
  Statistics s{.iterations = n,
               .median = median(sorted),
               .min = sorted.front(),
               .max = sorted.back(),
               .mean = {std::llround(mean)},
               .p99 = sorted[(n * 99 + 99) / 100 - 1]};
  if (n > 1 && mean > 0) s.cv = std::sqrt(squares / static_cast<double>(n - 1)) / mean;
  return s;
}

}  // namespace ringside
