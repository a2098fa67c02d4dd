#include "gpu/cuda/device_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/cuda/status.hpp"
#include "gpu/cuda/waiting.hpp"

namespace ringside::cuda {
namespace {

/// What cudaEventElapsedTime is good for, as the runtime's documentation says.
constexpr Duration event_resolution = nanoseconds(500);

Result<void> record(const Event& event, const Stream& stream) {
  return check(cudaEventRecord(event.get(), stream.get()), "record an event", stream.device());
}
Result<void> wait(const Stream& stream, const Event& event) {
  return check(cudaStreamWaitEvent(stream.get(), event.get(), 0), "wait for an event",
               stream.device());
}

}  // namespace

Result<Duration> between(const Event& first, const Event& second) {
  float milliseconds = 0;
  RS_TRY(check(cudaEventElapsedTime(&milliseconds, first.get(), second.get()),
               "tell the time between two events", second.device()));
  return Duration{std::llround(static_cast<double>(milliseconds) * 1e9)};
}

Result<DeviceClocks> DeviceClocks::make(std::span<const Stream> home) {
  DeviceClocks made;
  for (std::size_t d = 1; d < home.size(); ++d)
    for (RoundTrip* trip : {&made.clocks_.emplace_back().best, &made.clocks_.back().spare}) {
      RS_ASSIGN(trip->out, make_event(home.front().device(), EventUse::timing));
      RS_ASSIGN(trip->there, make_event(home[d].device(), EventUse::timing));
      RS_ASSIGN(trip->back, make_event(home.front().device(), EventUse::timing));
    }
  return made;
}

/// Of several round trips the shortest is kept (Cristian, "Probabilistic clock synchronization",
/// 1989).
Result<void> DeviceClocks::align(std::span<const Stream> home, Duration timeout) {
  constexpr int tries = 10;
  const Stream& first = home.front();
  for (std::size_t d = 0; d < clocks_.size(); ++d) {
    const Stream& other = home[d + 1];
    auto& [best, spare] = clocks_[d];
    best.half = forever;
    for (int i = 0; i < tries; ++i) {
      RS_TRY(record(spare.out, first));
      RS_TRY(wait(other, spare.out));
      RS_TRY(record(spare.there, other));
      RS_TRY(wait(first, spare.there));
      RS_TRY(record(spare.back, first));
      RS_TRY(drain(first, timeout, "record an event"));
      RS_ASSIGN(const Duration whole, cuda::between(spare.out, spare.back));
      spare.half = Duration{whole.picoseconds / 2};
      if (spare.half < best.half) std::swap(best, spare);
    }
  }
  return {};
}

Duration DeviceClocks::error() const {
  Duration most{}, second{};  // of two devices; the first has no error
  for (const Alignment& clock : clocks_) {
    if (clock.best.half > second) second = clock.best.half;
    if (second > most) std::swap(most, second);
  }
  return clocks_.empty() ? Duration{} : most + second + event_resolution;
}

Result<Duration> DeviceClocks::between(const Event& begin, const Event& event) const {
  if (event.device() == begin.device()) return cuda::between(begin, event);
  const auto at = std::find_if(clocks_.begin(), clocks_.end(), [&](const Alignment& clock) {
    return clock.best.there.device() == event.device();
  });
  const RoundTrip& trip = at->best;
  RS_ASSIGN(const Duration before, cuda::between(trip.out, begin));
  RS_ASSIGN(const Duration since, cuda::between(trip.there, event));
  return std::max(Duration{}, trip.half + since - before);
}

}  // namespace ringside::cuda
