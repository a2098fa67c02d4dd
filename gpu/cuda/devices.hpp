#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside::cuda {

/// A GPU that this process sees.
struct Device {
  int ordinal = 0;  ///< as CUDA numbers it, within CUDA_VISIBLE_DEVICES
  std::string name;
  std::string pci;  ///< `0000:1b:00.0`
  int node = -1;    ///< the host's NUMA node that it hangs on; negative: not known
  Bytes memory{};   ///< all of it
  int major = 0, minor = 0;
  std::uint32_t multiprocessors = 0;
  bool cooperative = false;  ///< can hold all blocks of a kernel at once, and says whether it does
  bool exclusive = false;    ///< one process at a time may use it
  bool is_slice = false;     ///< a MIG instance: no other GPU reaches its memory

  std::string describe() const;  ///< `device  0 [0000:1b:00] NVIDIA H200`, as nccl-tests prints it
};

/// The line in which nccl-tests names a rank's device: `Rank  0 Group  0 Pid ... device  0 ...`.
std::string describe_rank(Rank rank, const Device& device);

/// All of them. Errors (machine): no driver, one too old, no device, or one that compute mode
/// prohibits.
Result<std::vector<Device>> list_devices();

/// Those of these ordinals, in this order; all if none is named. Error: one that is not there, or
/// is named twice.
Result<std::vector<Device>> choose_devices(std::span<const int> ordinals);

/// Which device holds which rank.
struct DeviceMap {
  std::vector<Device> devices;         ///< those in use
  std::vector<std::uint32_t> of_rank;  ///< index into devices; agents of switches follow ranks

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(of_rank.size()); }
  const Device& device(Rank rank) const { return devices[of_rank[rank.value]]; }
  int ordinal(Rank rank) const { return device(rank).ordinal; }
  bool is_shared() const { return ranks() > devices.size(); }  ///< then ranks are virtual
};

/// Rank r on device r; where there are fewer devices than ranks, consecutive ranks share one:
/// device r * devices / ranks. Devices that would stay empty are left out.
DeviceMap place_ranks(std::uint32_t ranks, std::span<const Device> devices);

}  // namespace ringside::cuda
