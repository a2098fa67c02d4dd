#include "gpu/cuda/interpreter/clocks.hpp"

#include <algorithm>
#include <chrono>

#include "gpu/cuda/interpreter/launch.hpp"
#include "gpu/cuda/status.hpp"

namespace ringside::cuda::interpreter {
namespace {

std::int64_t host_clock() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace

Result<std::vector<ClockReading>> read_clocks(const Sides& sides, std::uint64_t* word) {
  constexpr int tries = 10;
  constexpr auto doing = "tell its clock";
  std::vector<ClockReading> readings;
  for (const DeviceSide& side : sides.devices) {
    ClockReading best{0, Duration{INT64_MAX}};
    RS_TRY(select(side.ordinal));
    for (int i = 0; i < tries; ++i) {
      const auto before = host_clock();
      RS_TRY(check(launch_clock(word, side.stream.get()), doing, side.ordinal));
      RS_TRY(check(cudaStreamSynchronize(side.stream.get()), doing, side.ordinal));
      const auto after = host_clock();
      const auto half = (after - before) / 2;
      if (nanoseconds(half) < best.error)
        best = {static_cast<std::int64_t>(*word) - before - half, nanoseconds(half)};
    }
    readings.push_back(best);
  }
  return readings;
}

Duration worst_error(const std::vector<ClockReading>& clocks) {
  Duration most{}, second{};
  for (const ClockReading& clock : clocks) {
    second = std::max(second, std::min(most, clock.error));
    most = std::max(most, clock.error);
  }
  return clocks.size() < 2 ? Duration{} : most + second;
}

}  // namespace ringside::cuda::interpreter
