#pragma once

#include <array>
#include <vector>

#include "core/backend.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/stream_plan.hpp"

namespace ringside::cuda {

/// All memory that a plan's places lie in, on devices and pinned, beside the caller's own.
class StreamMemory {
 public:
  /// Errors name the device that has too little.
  static Result<StreamMemory> make(const Work& work, const Memory& host, const DeviceMap& devices,
                                   const StreamPlan& plan);

  std::byte* at(const Place& place) const {
    return areas_[place.owner][static_cast<std::size_t>(place.area)].data + place.offset;
  }
  /// Brings the caller's buffers, outputs included (what a collective does not promise stays as it
  /// was), to where `streams` of their devices may use them; waits until they are there.
  Result<void> upload(std::span<const Stream> streams, Duration timeout) const;
  /// And the outputs back.
  Result<void> download(std::span<const Stream> streams, Duration timeout) const;

 private:
  struct Room {
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
  };
  Result<void> add(Area area, std::uint32_t owner, std::uint64_t bytes);
  Result<void> enqueue_copy(bool up, const Place& place, const std::byte* host,
                            const Stream& stream) const;

  Memory host_;
  DeviceMap devices_;
  bool in_place_ = false;
  std::vector<std::array<Room, 6>> areas_;  // by participant and Area
  std::vector<DeviceMemory> device_;
  std::vector<PinnedMemory> pinned_;
};

}  // namespace ringside::cuda
