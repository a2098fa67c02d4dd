#pragma once

#include <span>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"
#include "gpu/cuda/handles.hpp"

namespace ringside::cuda {

/// Events of two devices cannot be compared: each device's own are compared with one whose time on
/// the first device's clock is known.
class DeviceClocks {
 public:
  DeviceClocks() = default;  ///< of one device: nothing to align
  /// A stream of each device; the first one's clock is everybody's.
  static Result<DeviceClocks> make(std::span<const Stream> home);

  /// Sets the clocks beside that of the first device, while nothing is under way on these streams.
  Result<void> align(std::span<const Stream> home, Duration timeout);
  /// How far apart two devices' clocks may be all the same.
  Duration error() const;
  /// From `begin`, which is the first device's, to an event of any device; never negative.
  Result<Duration> between(const Event& begin, const Event& event) const;

 private:
  /// Events on the first device, then on another one, then on the first again: the second happened
  /// in the middle of the others, give or take `half`.
  struct RoundTrip {
    Event out, there, back;
    Duration half{};
  };
  struct Alignment {
    RoundTrip best, spare;
  };

  std::vector<Alignment> clocks_;  // by device behind the first
};

/// Between two events of one device. Error: one has not happened.
Result<Duration> between(const Event& first, const Event& second);

}  // namespace ringside::cuda
