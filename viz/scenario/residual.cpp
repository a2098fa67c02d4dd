#include "viz/scenario/residual.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::scenario {
namespace {

constexpr double much = 0.25;          // of the predicted time
constexpr double beyond_doubt = 1.05;  // of what a wire carries: rates of links are rounded, too

}  // namespace

std::string_view name(Badge badge) {
  static constexpr std::string_view names[] = {"as_predicted", "latency_bound", "above_wire",
                                               "slower",       "faster",        "stands_out"};
  return names[static_cast<std::size_t>(badge)];
}

void Limits::learn(const sim::Platform& platform) {
  wire = platform.gpu_bandwidth;
  in_switch = platform.in_switch || platform.in_network;
  if (platform.domains() > 1)
    wire->bytes_per_second =
        std::min(wire->bytes_per_second, platform.nics * platform.nic_bandwidth.bytes_per_second);
}

Residual residual_of(const Row& measured, Duration predicted, bool stands_out,
                     const Limits& limits) {
  Residual residual{Badge::as_predicted, 0};
  if (predicted.picoseconds > 0) residual.off = measured.time->seconds() / predicted.seconds() - 1;
  const auto busbw = measured.busbw();
  if (stands_out)
    residual.badge = Badge::stands_out;
  else if (limits.wire && busbw && *busbw > beyond_doubt * limits.wire->gigabytes_per_second())
    residual.badge = Badge::above_wire;
  else if (residual.off > much)
    residual.badge = Badge::slower;
  else if (residual.off < -much)
    residual.badge = Badge::faster;
  else if (static_cast<double>(measured.size->count) < limits.half_size)
    residual.badge = Badge::latency_bound;
  return residual;
}

bool says_nothing(const Residual& residual) {
  return residual.badge == Badge::as_predicted;
}

std::string in_words(const Residual& residual, const Limits& limits) {
  switch (residual.badge) {
    case Badge::as_predicted:
      break;
    case Badge::latency_bound:
      return "latency-bound";
    case Badge::above_wire:
      return limits.in_switch ? "above the wire: in-switch reduction"
                              : "above the wire: not the machine it is taken for?";
    case Badge::slower:
      return fmt::format("below the prediction: {:.0f} % slower", residual.off * 100);
    case Badge::faster:
      return fmt::format("above the prediction: {:.0f} % less time", -residual.off * 100);
    case Badge::stands_out:
      return "stands out";
  }
  return "as predicted";
}

}  // namespace ringside::scenario
