#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::window {

/// How long frames took. What `--bench` reports.
class Stopwatch {
 public:
  void add(double milliseconds) { frames_.push_back(milliseconds); }
  bool empty() const { return frames_.empty(); }
  /// The time that `percent` of all frames kept within. Frames must not be empty.
  double percentile(double percent) const;
  std::string as_table() const;
  std::string as_json() const;

 private:
  std::vector<double> frames_;
};

/// The most memory that this process has had at once, in bytes.
std::uint64_t memory_high_water();

}  // namespace ringside::window
