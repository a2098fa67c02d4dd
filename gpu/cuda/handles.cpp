#include "gpu/cuda/handles.hpp"

#include <string>

#include "gpu/cuda/numa.hpp"
#include "gpu/cuda/status.hpp"

namespace ringside::cuda {

Result<DeviceMemory> make_device_memory(int device, Bytes size) {
  if (size.count == 0) return DeviceMemory{};
  RS_TRY(select(device));
  void* data = nullptr;
  RS_TRY(check(cudaMalloc(&data, size.count), "allocate " + to_string(size), device));
  return DeviceMemory(data, size, device);
}

Result<PinnedMemory> make_pinned_memory(int device, Bytes size) {
  if (size.count == 0) return PinnedMemory{};
  RS_TRY(select(device));
  void* data = nullptr;
  constexpr unsigned flags = cudaHostAllocPortable | cudaHostAllocMapped;
  RS_TRY(check(cudaHostAlloc(&data, size.count, flags),
               "pin " + to_string(size) + " of host memory", device));
  return PinnedMemory(data, size, device);
}

Result<PinnedMemory> make_near_memory(const Device& device, Bytes size) {
  const NearNode near(device.node);  // pinning allocates at once
  return make_pinned_memory(device.ordinal, size);
}

Result<Stream> make_stream(int device) {
  RS_TRY(select(device));
  cudaStream_t stream = nullptr;
  RS_TRY(
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream", device));
  return Stream(stream, device);
}

Result<Event> make_event(int device, EventUse use) {
  RS_TRY(select(device));
  cudaEvent_t event = nullptr;
  const unsigned flags = use == EventUse::timing ? cudaEventDefault : cudaEventDisableTiming;
  RS_TRY(check(cudaEventCreateWithFlags(&event, flags), "create an event", device));
  return Event(event, device);
}

}  // namespace ringside::cuda
