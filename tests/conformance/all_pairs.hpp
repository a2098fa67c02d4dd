#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace ringside::conformance {

/// One level of each factor.
using Row = std::vector<std::size_t>;

/// Rows that hold, for every two factors, every pair of their levels: most faults need no more than
/// two things to coincide (Cohen et al., "The AETG system", IEEE TSE 23 (1997)). `levels[f]` is how
/// many factor f has. Greedy, deterministic.
class AllPairs {
 public:
  explicit AllPairs(std::span<const std::size_t> levels) : levels_(levels.begin(), levels.end()) {
    for (std::size_t f = 0; f < levels_.size(); ++f)
      for (std::size_t g = f + 1; g < levels_.size(); ++g)
        uncovered_[{f, g}].assign(levels_[f], std::vector<bool>(levels_[g], true));
  }

  std::vector<Row> rows() && {
    std::vector<Row> rows;
    for (auto& [factors, open] : uncovered_)
      for (std::size_t a = 0; a < open.size(); ++a)
        for (std::size_t b = 0; b < open[a].size(); ++b)
          if (open[a][b]) rows.push_back(row_around(factors, {a, b}, rows.size()));
    return rows;
  }

 private:
  static constexpr std::size_t unset = SIZE_MAX;
  using Two = std::pair<std::size_t, std::size_t>;

  bool is_open(std::size_t f, std::size_t a, std::size_t g, std::size_t b) const {
    return f < g ? uncovered_.at({f, g})[a][b] : uncovered_.at({g, f})[b][a];
  }

  /// Starts from one open pair; every other factor takes the level that closes most open pairs.
  Row row_around(Two factors, Two chosen, std::size_t number) {
    Row row(levels_.size(), unset);
    row[factors.first] = chosen.first;
    row[factors.second] = chosen.second;
    for (std::size_t f = 0; f < levels_.size(); ++f) {
      if (row[f] != unset) continue;
      std::size_t best = 0, most = 0;
      for (std::size_t i = 0; i < levels_[f]; ++i) {
        const auto level = (i + number) % levels_[f];  // ties go round
        std::size_t closed = 1;
        for (std::size_t g = 0; g < levels_.size(); ++g)
          if (row[g] != unset) closed += is_open(f, level, g, row[g]);
        if (closed > most) most = closed, best = level;
      }
      row[f] = best;
    }
    for (auto& [two, open] : uncovered_) open[row[two.first]][row[two.second]] = false;
    return row;
  }

  std::vector<std::size_t> levels_;
  std::map<Two, std::vector<std::vector<bool>>> uncovered_;
};

}  // namespace ringside::conformance
