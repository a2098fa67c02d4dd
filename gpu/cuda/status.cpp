#include "gpu/cuda/status.hpp"

#include <string>

namespace ringside::cuda {
namespace {

/// What people can do about an error that is the machine's; null for all others.
const char* remedy(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return "smaller sizes, or fewer ranks on one device, need less memory";
    case cudaErrorInsufficientDriver:
      return "update the NVIDIA driver; nvidia-smi shows the CUDA version that it serves";
    case cudaErrorNoDevice:
      return "nvidia-smi lists the GPUs, and CUDA_VISIBLE_DEVICES hides those it does not name";
    case cudaErrorDevicesUnavailable:
      return "another process may have it in exclusive mode: nvidia-smi -q -d COMPUTE";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidPtx:
      return "configure with -DCMAKE_CUDA_ARCHITECTURES=native on this machine";
    case cudaErrorPeerAccessUnsupported:
      return "the topology or the driver allows none: nvidia-smi topo -p2p r";
    case cudaErrorSystemNotReady:
      return "start the fabric manager: systemctl start nvidia-fabricmanager";
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return "driver and library are of different releases: reboot, or install them together";
    case cudaErrorInitializationError:
    case cudaErrorStubLibrary:
      return "nvidia-smi tells whether the driver works at all";
    case cudaErrorCooperativeLaunchTooLarge:
      return "fewer --ctas or --threads, or fewer ranks on one device, fit at once";
    case cudaErrorNotSupported:
      return "this device or driver does not offer it";
    default:
      return nullptr;
  }
}

}  // namespace

Result<void> check(cudaError_t code, std::string_view doing, int device) {
  if (code == cudaSuccess) return {};
  std::string sentence = device < 0 ? "CUDA" : "CUDA device " + std::to_string(device);
  sentence += " could not " + std::string(doing) + ": " + cudaGetErrorString(code) + " (" +
              cudaGetErrorName(code) + ")";
  const char* const advice = remedy(code);
  if (advice == nullptr) return gone_wrong(sentence);
  return machine_lacks(sentence + "; " + advice);
}

Result<void> select(int device) {
  return check(cudaSetDevice(device), "be used", device);
}

}  // namespace ringside::cuda
