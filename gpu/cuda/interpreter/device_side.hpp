#pragma once

#include <span>
#include <vector>

#include "core/backend.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/cuda/handles.hpp"
#include "gpu/cuda/interpreter/tables.hpp"

namespace ringside::cuda::interpreter {

/// What one device holds of a job, or the host for it: buffers, FIFOs and flags of its ranks, and
/// its thread blocks' tables.
struct DeviceSide {
  int ordinal = 0;
  std::vector<Rank> ranks;
  std::vector<TaskName> tasks;
  DeviceMemory room, tables, stamps;
  PinnedMemory staged, distress;
  Stream stream;
  Job job;
  std::uint32_t stamp_count = 0;

  std::span<const Distress> told() const {
    return {reinterpret_cast<const Distress*>(distress.data()), tasks.size()};
  }
};

/// All devices of a job, and the host's memory that they share.
struct Sides {
  std::vector<DeviceSide> devices;
  std::vector<Bases> ranks;  ///< where each rank's memory lies
  PinnedMemory abort;

  std::uint32_t* abort_word() const { return reinterpret_cast<std::uint32_t*>(abort.data()); }
};

/// Allocates everything. Errors name the device that has too little.
Result<Sides> make_sides(const Work& work, const Memory& memory, const Tables& tables,
                         const DeviceMap& map);
/// Room for what was done when (RunOptions::trace), and that brought home.
Result<void> add_stamps(Sides& sides);
Result<std::vector<std::vector<Stamp>>> download_stamps(const Sides& sides);

/// The caller's buffers to where the ranks have theirs, and outputs back. Wait until that is done.
Result<void> upload(const Memory& memory, const Sides& sides, bool scales);
Result<void> download(const Memory& memory, const Sides& sides);

}  // namespace ringside::cuda::interpreter
