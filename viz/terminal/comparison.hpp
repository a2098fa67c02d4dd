#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report.hpp"
#include "viz/scenario/residual.hpp"

namespace ringside::terminal {

/// A measured row, and the time it is compared with: measured before, or predicted. The row's
/// algorithm and protocol are what the prediction is of.
struct Pair {
  Row row;
  Duration other;
  bool stands_out = false;      ///< an outlier of the measurement: shown, but judged nowhere
  std::string other_backend{};  ///< of the row before, where it is another
};

struct Comparison {
  std::vector<Pair> pairs{};
  std::vector<std::string> assumed{};  ///< what the log was taken for
  std::vector<std::string> notes{};
  std::size_t missing = 0;  ///< rows that were measured before, and not now
  std::optional<double> tolerance{};
  bool against_prediction = false;
  std::optional<scenario::LogFit> fitted{};
  scenario::Limits limits{};  ///< of the machine that was measured, as far as it is known

  /// Whether what was told to be judged is not as it should be.
  bool has_failed() const { return tolerance && (missing > 0 || failures() > 0); }
  /// How far the prediction is off, or how much slower it is now; 0.1 is 10 % longer.
  double off(const Pair& pair) const;
  /// Wrong elements are one, however fast they came.
  bool is_failure(const Pair& pair) const;
  /// What a row beside its prediction has to say; nothing of two measurements.
  std::optional<scenario::Residual> residual(const Pair& pair) const;
  std::size_t failures() const;
};

/// Adds sentences that sum up: median and worst below and from 1 MiB, peaks, outliers, failures.
void sum_up(Comparison& comparison);

std::string as_text(const Comparison& comparison);
std::string as_json(const Comparison& comparison);

}  // namespace ringside::terminal
