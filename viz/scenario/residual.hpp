#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/report.hpp"
#include "sim/platform.hpp"
#include "viz/scenario/log_fit.hpp"

namespace ringside::scenario {

/// What a measured time says beside the predicted one: the one thing to be told first.
enum class Badge : std::uint8_t {
  as_predicted,   ///< within a quarter
  latency_bound,  ///< the same, at a size where latency takes longer than the bytes do
  above_wire,     ///< busbw beyond what a GPU's wires carry one way
  slower,         ///< by more than a quarter: below the prediction's bandwidth
  faster,         ///< by more than a quarter
  stands_out,     ///< an outlier among the sizes beside it
};
std::string_view name(Badge badge);  ///< `as_predicted`, ...

/// What is known of the machine beside single times; nothing is known at first.
struct Limits {
  std::optional<Bandwidth> wire{};  ///< what the narrowest of a rank's wires carries, one way
  bool in_switch = false;  ///< switches reduce, so that less than busbw assumes crosses a wire
  double half_size = 0;    ///< bytes; below, latency takes longer (LogFit::half_size)

  void learn(const sim::Platform& platform);
  void learn(const LogFit& fit) { half_size = fit.half_size(); }
};

struct Residual {
  Badge badge = Badge::as_predicted;
  double off = 0;  ///< how much longer it took than predicted: 0.1 is 10 %, -0.1 less
};

Residual residual_of(const Row& measured, Duration predicted, bool stands_out,
                     const Limits& limits);
/// As predicted.
bool says_nothing(const Residual& residual);
/// `above the wire: in-switch reduction`, `below the prediction: 38 % slower`.
std::string in_words(const Residual& residual, const Limits& limits);

}  // namespace ringside::scenario
