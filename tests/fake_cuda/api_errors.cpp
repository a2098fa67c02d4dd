// Names and descriptions of errors.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>

namespace {

struct ErrorText {
  cudaError_t code;
  const char *name, *description;
};

#define NAMED(code, description) \
  { code, #code, description }
constexpr ErrorText texts[] = {
    NAMED(cudaSuccess, "no error"),
    NAMED(cudaErrorInvalidValue, "invalid argument"),
    NAMED(cudaErrorMemoryAllocation, "out of memory"),
    NAMED(cudaErrorInitializationError, "initialization failed"),
    NAMED(cudaErrorStubLibrary, "only a stub of the driver is there"),
    NAMED(cudaErrorInsufficientDriver, "the driver is too old for this runtime"),
    NAMED(cudaErrorDevicesUnavailable, "the device is busy or unavailable"),
    NAMED(cudaErrorInvalidDeviceFunction, "no such kernel"),
    NAMED(cudaErrorInvalidConfiguration, "invalid grid or block"),
    NAMED(cudaErrorNoDevice, "no device"),
    NAMED(cudaErrorInvalidDevice, "no such device"),
    NAMED(cudaErrorNoKernelImageForDevice, "the kernel is not compiled for this device"),
    NAMED(cudaErrorPeerAccessUnsupported, "peer access is not supported"),
    NAMED(cudaErrorPeerAccessAlreadyEnabled, "peer access is enabled already"),
    NAMED(cudaErrorPeerAccessNotEnabled, "peer access is not enabled"),
    NAMED(cudaErrorInvalidResourceHandle, "invalid handle"),
    NAMED(cudaErrorNotReady, "not ready"),
    NAMED(cudaErrorIllegalAddress, "an illegal address was touched"),
    NAMED(cudaErrorLaunchFailure, "a launch failed"),
    NAMED(cudaErrorCooperativeLaunchTooLarge, "too many blocks for a cooperative launch"),
    NAMED(cudaErrorHostMemoryAlreadyRegistered, "memory is registered already"),
    NAMED(cudaErrorHostMemoryNotRegistered, "memory is not registered"),
    NAMED(cudaErrorNotSupported, "not supported"),
    NAMED(cudaErrorSystemNotReady, "the system is not ready"),
    NAMED(cudaErrorStreamCaptureUnsupported, "not possible while a stream is captured"),
    NAMED(cudaErrorStreamCaptureInvalidated, "the capture was spoilt"),
    NAMED(cudaErrorStreamCaptureMerge, "two captures would become one"),
    NAMED(cudaErrorStreamCaptureUnmatched, "the capture began elsewhere"),
    NAMED(cudaErrorStreamCaptureUnjoined, "a captured stream did not come back"),
    NAMED(cudaErrorStreamCaptureIsolation, "the capture would depend on uncaptured work"),
    NAMED(cudaErrorStreamCaptureImplicit, "the default stream cannot be captured"),
    NAMED(cudaErrorCapturedEvent, "the event was recorded in a capture"),
    NAMED(cudaErrorUnknown, "unknown error"),
};

const ErrorText& text_of(cudaError_t code) {
  const auto found = std::find_if(std::begin(texts), std::end(texts),
                                  [&](const ErrorText& text) { return text.code == code; });
  static constexpr ErrorText unknown{cudaErrorUnknown, "unrecognized error code",
                                     "unrecognized error code"};
  return found == std::end(texts) ? unknown : *found;
}

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t code) {
  return text_of(code).name;
}
const char* cudaGetErrorString(cudaError_t code) {
  return text_of(code).description;
}

}  // extern "C"
