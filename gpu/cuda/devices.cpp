#include "gpu/cuda/devices.hpp"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "gpu/cuda/numa.hpp"
#include "gpu/cuda/status.hpp"

namespace ringside::cuda {
namespace {

/// Error: none answers.
Result<void> check_driver() {
  int version = 0;
  RS_TRY(check(cudaDriverGetVersion(&version), "tell its driver's version"));
  if (version > 0) return {};
  return machine_lacks(
      "this machine has no NVIDIA driver, so CUDA finds no GPU; --backend host runs the same "
      "schedules on CPU threads");
}

Result<int> attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  RS_TRY(check(cudaDeviceGetAttribute(&value, which, device), "tell what it can do", device));
  return value;
}

Result<Device> describe(int ordinal) {
  cudaDeviceProp properties{};
  RS_TRY(check(cudaGetDeviceProperties(&properties, ordinal), "tell what it is", ordinal));
  std::array<char, 32> pci{};
  RS_TRY(check(cudaDeviceGetPCIBusId(pci.data(), static_cast<int>(pci.size()), ordinal),
               "tell its PCI address", ordinal));
  RS_ASSIGN(const int mode, attribute(cudaDevAttrComputeMode, ordinal));
  Device device{.ordinal = ordinal,
                .name = properties.name,
                .pci = pci.data(),
                .node = numa_node(pci.data()),
                .memory = {properties.totalGlobalMem},
                .major = properties.major,
                .minor = properties.minor,
                .multiprocessors = static_cast<std::uint32_t>(properties.multiProcessorCount),
                .cooperative = properties.cooperativeLaunch != 0,
                .exclusive = mode == cudaComputeModeExclusiveProcess};
  device.is_slice = device.name.find(" MIG ") != std::string::npos;
  if (mode == cudaComputeModeProhibited)
    return machine_lacks("CUDA device " + std::to_string(ordinal) + " (" + device.name +
                         ") is in prohibited mode: nvidia-smi -i " + std::to_string(ordinal) +
                         " -c DEFAULT, or hide it with CUDA_VISIBLE_DEVICES");
  return device;
}

}  // namespace

std::string Device::describe() const {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "device %2d", ordinal);
  return std::string(number.data()) + " [" + pci.substr(0, pci.rfind('.')) + "] " + name;
}

std::string describe_rank(Rank rank, const Device& device) {
  std::array<char, 64> host{};
  std::array<char, 128> text{};
  gethostname(host.data(), host.size() - 1);
  std::snprintf(text.data(), text.size(), "Rank %2u Group  0 Pid %6d on %10s ", rank.value,
                static_cast<int>(getpid()), host.data());
  return text.data() + device.describe();
}

Result<std::vector<Device>> list_devices() {
  RS_TRY(check_driver());
  int count = 0;
  RS_TRY(check(cudaGetDeviceCount(&count), "list its devices"));
  if (count == 0) return tl::unexpected<Error>(check(cudaErrorNoDevice, "find a device").error());
  std::vector<Device> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    RS_ASSIGN(auto device, cuda::describe(ordinal));
    devices.push_back(std::move(device));
  }
  return devices;
}

Result<std::vector<Device>> choose_devices(std::span<const int> ordinals) {
  RS_ASSIGN(auto all, list_devices());
  if (ordinals.empty()) return all;
  std::vector<Device> chosen;
  for (const int ordinal : ordinals) {
    if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= all.size())
      return bad_request("there is no CUDA device " + std::to_string(ordinal) +
                         ": this process sees devices 0 to " + std::to_string(all.size() - 1));
    const auto is_it = [&](const Device& device) { return device.ordinal == ordinal; };
    if (std::any_of(chosen.begin(), chosen.end(), is_it))
      return bad_request("CUDA device " + std::to_string(ordinal) +
                         " is named twice; more ranks than devices share them by themselves");
    chosen.push_back(all[static_cast<std::size_t>(ordinal)]);
  }
  return chosen;
}

DeviceMap place_ranks(std::uint32_t ranks, std::span<const Device> devices) {
  const auto used = std::min<std::size_t>(ranks, devices.size());
  DeviceMap map{{devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(used)}, {}};
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    map.of_rank.push_back(static_cast<std::uint32_t>(rank * used / ranks));
  return map;
}

}  // namespace ringside::cuda
