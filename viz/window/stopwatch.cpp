#include "viz/window/stopwatch.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/assert.hpp"

namespace ringside::window {
namespace {

constexpr double percents[] = {50, 95, 99, 100};
constexpr double mebibyte = 1u << 20;

}  // namespace

double Stopwatch::percentile(double percent) const {
  RS_ASSERT(!frames_.empty(), "frames were measured");
  auto sorted = frames_;
  std::sort(sorted.begin(), sorted.end());
  const auto rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.)) - 1];
}

std::string Stopwatch::as_table() const {
  std::string text = fmt::format("# {} frames\n#  percentile  frame (ms)\n", frames_.size());
  for (const double percent : percents)
    text +=
        fmt::format("{:>12}  {:>10.2f}\n", percent == 100 ? "most" : fmt::format("p{:g}", percent),
                    percentile(percent));
  return text + fmt::format("# memory: at most {:.0f} MiB\n",
                            static_cast<double>(memory_high_water()) / mebibyte);
}

std::string Stopwatch::as_json() const {
  nlohmann::ordered_json result{{"frames", frames_.size()}};
  for (const double percent : percents)
    result[percent == 100 ? "max_ms" : fmt::format("p{:g}_ms", percent)] = percentile(percent);
  result["memory_bytes"] = memory_high_water();
  const nlohmann::ordered_json whole{{"ringside", 1}, {"command", "view"}, {"results", {result}}};
  return whole.dump(2) + "\n";
}

std::uint64_t memory_high_water() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace ringside::window
