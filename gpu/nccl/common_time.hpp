#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/units.hpp"
#include "gpu/cuda/handles.hpp"

// Processes have a clock each, and so have their devices: what one of them measured is set beside
// what others did.

namespace ringside::nccl {

/// Company::share, within the run's time limit.
using Share = std::function<Result<std::vector<std::string>>(std::string_view words)>;

/// The first process's clock = this one's + offset, give or take `error`.
struct ClockOffset {
  Duration offset{}, error{};
};

/// When a process said something, by its clock, and when it had heard all others say the like.
struct Exchange {
  TimePoint said, heard;
};
/// Nobody hears what is not yet said: each exchange bounds the offset from both sides. At least
/// one.
ClockOffset offset_between(std::span<const Exchange> first, std::span<const Exchange> mine);
/// Every process calls this at the same time. On one machine they have one clock.
Result<ClockOffset> clock_offset(const Share& share);

/// The times of events of this process's one device by the first process's clock.
class CommonTime {
 public:
  CommonTime() = default;
  static Result<CommonTime> make(int device);

  /// Every process calls this at the same time, while nothing is under way on the stream.
  Result<void> align(const cuda::Stream& stream, const Share& share, Duration timeout);
  /// When an event behind align() was.
  Result<TimePoint> of(const cuda::Event& event) const;
  Duration error() const { return offset_.error + half_; }

 private:
  cuda::Event anchor_, spare_;
  TimePoint anchored_{};  ///< when anchor_ was, give or take half_
  Duration half_{};
  ClockOffset offset_;
};

/// What one process measured: moments from its own beginning on, and when that was.
struct Report {
  TimePoint begin;
  Duration error;  ///< of `begin`
  std::vector<TimePoint> moments;
};
/// Every process's moments, from the earliest beginning on, and how far apart two processes' may be
/// all the same. All call it at the same time.
struct Reports {
  std::vector<std::vector<TimePoint>> moments;
  Duration error{};
};
Result<Reports> report_to_all(const Report& mine, const Share& share);

}  // namespace ringside::nccl
