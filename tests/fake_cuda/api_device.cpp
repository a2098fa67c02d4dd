// Devices, versions, errors, peer access.

#include <cstdio>
#include <cstring>

#include "tests/fake_cuda/world.hpp"

namespace {

using fake::call;
using fake::Manner;
using fake::World;
using Lock = std::unique_lock<std::mutex>;

int driver_of(const World& world) {
  if (world.config.driver == -1) return 0;
  return world.config.driver == 0 ? CUDART_VERSION : world.config.driver;
}

/// Whether a device can be used at all, and is there.
cudaError_t check_device(const World& world, int device) {
  if (driver_of(world) < CUDART_VERSION / 1000 * 1000) return cudaErrorInsufficientDriver;
  if (world.config.devices == 0) return cudaErrorNoDevice;
  return device < 0 || device >= world.config.devices ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaDeviceProp properties_of(const World& world, int device) {
  cudaDeviceProp p{};
  std::snprintf(p.name, sizeof p.name, "%s",
                world.config.mig ? "Fake GPU MIG 1g.10gb" : "Fake GPU");
  p.totalGlobalMem = world.config.memory;
  p.major = 9;
  p.multiProcessorCount = world.config.multiprocessors;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  p.maxGridSize[0] = 1 << 30;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.warpSize = 32;
  p.sharedMemPerBlock = 48 << 10;
  p.l2CacheSize = 32 << 20;
  p.unifiedAddressing = p.canMapHostMemory = 1;
  p.asyncEngineCount = 2;
  p.concurrentKernels = 1;
  p.cooperativeLaunch = world.config.cooperative ? 1 : 0;
  p.pciBusID = 0x10 + device;
  p.hostNumaId = -1;
  return p;
}

int attribute_of(const World& world, cudaDeviceAttr which, int device) {
  const auto p = properties_of(world, device);
  switch (which) {
    case cudaDevAttrComputeMode:
      return world.config.mode == "exclusive"    ? cudaComputeModeExclusiveProcess
             : world.config.mode == "prohibited" ? cudaComputeModeProhibited
                                                 : cudaComputeModeDefault;
    case cudaDevAttrCooperativeLaunch:
      return p.cooperativeLaunch;
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanMapHostMemory:
      return 1;
    case cudaDevAttrAsyncEngineCount:
      return p.asyncEngineCount;
    case cudaDevAttrWarpSize:
      return p.warpSize;
    case cudaDevAttrPciBusId:
      return p.pciBusID;
    case cudaDevAttrHostNumaId:
      return -1;
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrIntegrated:
      return 0;
    default:
      return -1;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  return call("cudaDriverGetVersion", Manner::query, [&](World& world, Lock&) {
    *version = driver_of(world);
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return call("cudaRuntimeGetVersion", Manner::query, [&](World&, Lock&) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceCount(int* count) {
  return call("cudaGetDeviceCount", Manner::usual, [&](World& world, Lock&) {
    *count = 0;
    const cudaError_t code = check_device(world, 0);
    if (code == cudaSuccess) *count = world.config.devices;
    return code;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", Manner::usual, [&](World& world, Lock&) {
    const cudaError_t code = check_device(world, device);
    if (code == cudaSuccess) fake::current_device() = device;
    return code;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", Manner::usual, [&](World& world, Lock&) {
    *device = fake::current_device();
    return check_device(world, *device);
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call("cudaGetDeviceProperties", Manner::usual, [&](World& world, Lock&) {
    const cudaError_t code = check_device(world, device);
    if (code == cudaSuccess) *properties = properties_of(world, device);
    return code;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return call("cudaDeviceGetAttribute", Manner::usual, [&](World& world, Lock&) {
    const cudaError_t code = check_device(world, device);
    if (code != cudaSuccess) return code;
    *value = attribute_of(world, which, device);
    return *value == -1 && which != cudaDevAttrHostNumaId
               ? world.violation("asks for attribute " + std::to_string(which) +
                                 ", which the fake does not have")
               : cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  return call("cudaDeviceGetPCIBusId", Manner::usual, [&](World& world, Lock&) {
    const cudaError_t code = check_device(world, device);
    if (code == cudaSuccess)
      std::snprintf(text, static_cast<std::size_t>(size), "0000:%02x:00.0", 0x10 + device);
    return code;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call("cudaDeviceCanAccessPeer", Manner::usual, [&](World& world, Lock&) {
    for (const int each : {device, peer})
      if (const auto code = check_device(world, each); code != cudaSuccess) return code;
    *can = device != peer && !world.config.mig && world.config.reaches(device, peer) ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call("cudaDeviceEnablePeerAccess", Manner::usual, [&](World& world, Lock&) {
    const int device = fake::current_device();
    if (const auto code = check_device(world, peer); code != cudaSuccess) return code;
    if (flags != 0) return cudaErrorInvalidValue;
    if (device == peer || world.config.mig || !world.config.reaches(device, peer))
      return cudaErrorPeerAccessUnsupported;
    auto enabled = world.enabled[static_cast<std::size_t>(device)][static_cast<std::size_t>(peer)];
    if (enabled) return cudaErrorPeerAccessAlreadyEnabled;
    enabled = true;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call("cudaDeviceDisablePeerAccess", Manner::release, [&](World& world, Lock&) {
    if (const auto code = check_device(world, peer); code != cudaSuccess) return code;
    const auto device = static_cast<std::size_t>(fake::current_device());
    auto enabled = world.enabled[device][static_cast<std::size_t>(peer)];
    if (!enabled) return cudaErrorPeerAccessNotEnabled;
    enabled = false;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr which, int from, int to) {
  return call("cudaDeviceGetP2PAttribute", Manner::usual, [&](World& world, Lock&) {
    for (const int each : {from, to})
      if (const auto code = check_device(world, each); code != cudaSuccess) return code;
    const bool reaches = from != to && !world.config.mig && world.config.reaches(from, to);
    *value = which == cudaDevP2PAttrPerformanceRank ? 0 : (reaches ? 1 : 0);
    return cudaSuccess;
  });
}

}  // extern "C"
