#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "core/result.hpp"
#include "core/units.hpp"
#include "gpu/cuda/devices.hpp"

namespace ringside::cuda {

/// Owns what `Release` frees. Move-only; an empty one owns nothing.
template <typename Handle, cudaError_t (*Release)(Handle)>
class Owner {
 public:
  Owner() = default;
  Owner(Handle handle, int device) : handle_(handle), device_(device) {}
  Owner(Owner&& other) noexcept
      : handle_(std::exchange(other.handle_, {})), device_(other.device_) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(device_, other.device_);
    return *this;
  }
  /// An error at the end was already told by the call that caused it.
  ~Owner() {
    if (handle_ != Handle{}) static_cast<void>(Release(handle_));
  }

  Handle get() const { return handle_; }
  int device() const { return device_; }  ///< negative: memory of the host
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  Handle handle_{};
  int device_ = -1;
};

using Stream = Owner<cudaStream_t, cudaStreamDestroy>;
using Event = Owner<cudaEvent_t, cudaEventDestroy>;
using Graph = Owner<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Owner<cudaGraphExec_t, cudaGraphExecDestroy>;

/// Memory and how much; `data()` is null where nothing was asked for.
template <cudaError_t (*Release)(void*)>
class OwnedMemory {
 public:
  OwnedMemory() = default;
  OwnedMemory(void* data, Bytes size, int device) : data_(data, device), size_(size) {}

  std::byte* data() const { return static_cast<std::byte*>(data_.get()); }
  Bytes size() const { return size_; }
  int device() const { return data_.device(); }

 private:
  Owner<void*, Release> data_;
  Bytes size_{};
};

using DeviceMemory = OwnedMemory<cudaFree>;
using PinnedMemory = OwnedMemory<cudaFreeHost>;

/// What events are for: timing costs.
enum class EventUse { order, timing };

// Makers: the error names the device and what was wanted. All make `device` the current one.

/// Uninitialised; no bytes: no memory.
Result<DeviceMemory> make_device_memory(int device, Bytes size);
/// Host memory that every device sees at the same address, allocated for `device`. For words.
Result<PinnedMemory> make_pinned_memory(int device, Bytes size);
/// The same for data: on the NUMA node of the device, where the machine tells and allows it.
Result<PinnedMemory> make_near_memory(const Device& device, Bytes size);
/// One that does not wait for the device's default stream.
Result<Stream> make_stream(int device);
Result<Event> make_event(int device, EventUse use);

}  // namespace ringside::cuda
