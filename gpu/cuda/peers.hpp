#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "gpu/cuda/devices.hpp"
#include "gpu/cuda/stream_plan.hpp"

namespace ringside::cuda {

/// Which device reaches the memory of which other one, found by trying.
struct PeerReport {
  std::vector<int> ordinals{};  ///< as CUDA numbers the devices of `matrix`
  PeerMatrix matrix{};
  /// What people must know: which pairs do not, and whether the driver had promised it.
  std::vector<std::string> notes{};
};

/// Enables peer access for every ordered pair that offers it, and believes only what then happened:
/// a kernel of one stores to the other's memory, whose own kernel compares; the other way around by
/// loads; then a copy. Errors: CUDA failed, or a device did not answer within seconds.
Result<PeerReport> probe_peers(std::span<const Device> devices);

/// The same, less the pairs whose kernels do not hear each other while both run: on some machines
/// copies arrive, but what a running kernel waits for does not. For executors that rely on that.
/// The devices are those that `report` tells of.
Result<PeerReport> probe_running_kernels(std::span<const Device> devices, PeerReport report);

/// Where something is staged, and memory near a device cannot be had, that is noted too; once.
void note_far_memory(std::span<const Device> devices, PeerReport& report);

/// For a plan: ranks on these devices, which all were probed.
Placement placement_of(const DeviceMap& map, const PeerReport& report);

}  // namespace ringside::cuda
