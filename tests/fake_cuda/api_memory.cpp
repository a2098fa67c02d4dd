// Memory: allocation, and all that moves bytes.

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "tests/fake_cuda/access.hpp"

namespace {

using fake::call;
using fake::Manner;
using fake::MemoryKind;
using fake::World;
using Lock = std::unique_lock<std::mutex>;

/// What the runtime does before it frees or pins memory: waits for all work of all devices.
cudaError_t wait_for_all(World& world, Lock& lock) {
  if (world.captures > 0) return cudaErrorStreamCaptureUnsupported;
  world.scheduler.run(lock, [&] { return world.scheduler.is_idle(); });
  return cudaSuccess;
}

cudaError_t allocate(World& world, void** at, std::size_t size, MemoryKind kind) {
  const int device = fake::current_device();
  if (at == nullptr) return cudaErrorInvalidValue;
  if (world.captures > 0) return cudaErrorStreamCaptureUnsupported;
  *at = nullptr;
  if (size == 0) return cudaSuccess;
  if (kind == MemoryKind::device &&
      (size > world.config.memory || world.registry.used(device) > world.config.memory - size))
    return cudaErrorMemoryAllocation;
  *at = world.registry.allocate(size, kind, device);
  return *at == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

/// As get_mempolicy(2) has it; negative: any.
int preferred_node() {
  int mode = MPOL_DEFAULT;
  std::array<unsigned long, 1024 / (8 * sizeof(unsigned long))> nodes{};
  const auto code = syscall(SYS_get_mempolicy, &mode, nodes.data(), 1025, nullptr, 0);
  return code == 0 && mode == MPOL_PREFERRED ? std::countr_zero(nodes[0]) : -1;
}

cudaError_t release(World& world, Lock& lock, void* at, MemoryKind kind) {
  if (at == nullptr) return cudaSuccess;
  const cudaError_t waited = wait_for_all(world, lock);
  if (waited != cudaSuccess) return waited;
  const auto complaint = world.registry.release(at, kind);
  if (!complaint.empty()) return world.violation(complaint);
  return world.scheduler.take_error();
}

/// What kind says of the two ends: a direction told wrong is an error.
bool fits(World& world, const void* at, bool should_be_device) {
  const auto* const found = world.registry.find(at);
  return (found != nullptr && found->kind == MemoryKind::device) == should_be_device;
}

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

std::array<fake::Touch, 2> touches_of(const Copy& copy) {
  return {{{copy.from, copy.bytes, false}, {copy.to, copy.bytes, true}}};
}

cudaError_t check(World& world, int device, const Copy& copy) {
  if (copy.bytes > 0 && copy.kind != cudaMemcpyDefault) {
    const bool to_device =
        copy.kind == cudaMemcpyHostToDevice || copy.kind == cudaMemcpyDeviceToDevice;
    const bool from_device =
        copy.kind == cudaMemcpyDeviceToHost || copy.kind == cudaMemcpyDeviceToDevice;
    if (!fits(world, copy.to, to_device) || !fits(world, copy.from, from_device))
      return world.violation("a copy whose direction is not the one it tells");
  }
  for (const fake::Touch& touch : touches_of(copy))
    if (const auto code = check_touch(world, device, touch, fake::Toucher::copy);
        code != cudaSuccess)
      return code;
  return cudaSuccess;
}

cudaError_t perform(World& world, int device, const Copy& copy) {
  const cudaError_t code = check(world, device, copy);
  if (code != cudaSuccess) return code;
  if (copy.bytes > 0) std::memmove(copy.to, copy.from, copy.bytes);
  spoil_if_broken(world, device, touches_of(copy));
  return cudaSuccess;
}

constexpr fake::Clock microsecond = 1'000'000;

cudaError_t enqueue(World& world, cudaStream_t stream, const Copy& copy) {
  if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
  const int device = stream->device;
  const cudaError_t code = check(world, device, copy);
  if (code != cudaSuccess) return code;
  fake::Task task;
  task.work = [&world, device, copy] { return perform(world, device, copy); };
  task.cost = microsecond + std::max(cost_of(world, device, {copy.to, copy.bytes, true}),
                                     cost_of(world, device, {copy.from, copy.bytes, false}));
  return submit(world, stream, std::move(task));
}

/// On the default stream, and waited for.
cudaError_t copy_now(World& world, Lock& lock, const Copy& copy) {
  const cudaError_t waited = wait_for_all(world, lock);
  if (waited != cudaSuccess) return waited;
  world.scheduler.host_reaches(world.scheduler.now() + microsecond);
  return perform(world, fake::current_device(), copy);
}

cudaError_t check_owner(World& world, const void* at, int device) {
  const auto* const found = world.registry.find(at);
  if (found == nullptr || found->kind != MemoryKind::device || found->device == device)
    return cudaSuccess;
  return world.violation("a peer copy that takes memory of device " +
                         std::to_string(found->device) + " for that of device " +
                         std::to_string(device));
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** at, std::size_t size) {
  return call("cudaMalloc", Manner::usual,
              [&](World& w, Lock&) { return allocate(w, at, size, MemoryKind::device); });
}
cudaError_t cudaFree(void* at) {
  return call("cudaFree", Manner::release,
              [&](World& w, Lock& lock) { return release(w, lock, at, MemoryKind::device); });
}
cudaError_t cudaHostAlloc(void** at, std::size_t size, unsigned) {
  return call("cudaHostAlloc", Manner::usual, [&](World& w, Lock&) {
    w.host_node = preferred_node();
    return allocate(w, at, size, MemoryKind::pinned);
  });
}
cudaError_t cudaMallocHost(void** at, std::size_t size) {
  return call("cudaMallocHost", Manner::usual,
              [&](World& w, Lock&) { return allocate(w, at, size, MemoryKind::pinned); });
}
cudaError_t cudaFreeHost(void* at) {
  return call("cudaFreeHost", Manner::release,
              [&](World& w, Lock& lock) { return release(w, lock, at, MemoryKind::pinned); });
}

cudaError_t cudaHostRegister(void* at, std::size_t size, unsigned) {
  return call("cudaHostRegister", Manner::usual, [&](World& world, Lock&) {
    if (at == nullptr || size == 0) return cudaErrorInvalidValue;
    if (world.registry.find(at) != nullptr) return cudaErrorHostMemoryAlreadyRegistered;
    world.registry.add_registered(at, size, fake::current_device());
    return cudaSuccess;
  });
}
cudaError_t cudaHostUnregister(void* at) {
  return call("cudaHostUnregister", Manner::release, [&](World& world, Lock& lock) {
    return release(world, lock, at, MemoryKind::registered);
  });
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call("cudaHostGetDevicePointer", Manner::usual, [&](World& world, Lock&) {
    *device = host;
    return world.registry.find(host) == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call("cudaMemGetInfo", Manner::usual, [&](World& world, Lock&) {
    *total = world.config.memory;
    *free = *total - world.registry.used(fake::current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* at) {
  return call("cudaPointerGetAttributes", Manner::usual, [&](World& world, Lock&) {
    const auto* const found = world.registry.find(at);
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->hostPointer = const_cast<void*>(at);
    if (found == nullptr) return cudaSuccess;
    const bool is_device = found->kind == MemoryKind::device;
    attributes->type = is_device ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
    attributes->device = found->device;
    attributes->devicePointer = const_cast<void*>(at);
    if (is_device) attributes->hostPointer = nullptr;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call("cudaMemcpyAsync", Manner::usual, [&](World& world, Lock&) {
    return enqueue(world, stream, {to, from, bytes, kind});
  });
}
// NOLINTNEXTLINE(readability-function-size): the parameters are CUDA's
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  return call("cudaMemcpyPeerAsync", Manner::usual, [&](World& world, Lock&) {
    if (const auto code = check_owner(world, to, to_device); code != cudaSuccess) return code;
    if (const auto code = check_owner(world, from, from_device); code != cudaSuccess) return code;
    return enqueue(world, stream, {to, from, bytes});
  });
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return call("cudaMemcpy", Manner::usual, [&](World& world, Lock& lock) {
    return copy_now(world, lock, {to, from, bytes, kind});
  });
}

cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
  return call("cudaMemsetAsync", Manner::usual, [&](World& world, Lock&) {
    if (!fake::is_stream(world, stream)) return cudaErrorInvalidResourceHandle;
    const int device = stream->device;
    const fake::Touch touch{at, bytes, true};
    const auto checked = check_touch(world, device, touch, fake::Toucher::kernel);
    if (checked != cudaSuccess) return checked;
    fake::Task task;
    task.work = [&world, device, touch, at, value, bytes] {
      const auto code = check_touch(world, device, touch, fake::Toucher::kernel);
      if (code == cudaSuccess && bytes > 0) std::memset(at, value, bytes);
      return code;
    };
    task.cost = microsecond + cost_of(world, device, touch);
    return submit(world, stream, std::move(task));
  });
}
cudaError_t cudaMemset(void* at, int value, std::size_t bytes) {
  return call("cudaMemset", Manner::usual, [&](World& world, Lock& lock) {
    const cudaError_t waited = wait_for_all(world, lock);
    if (waited != cudaSuccess) return waited;
    const auto code =
        check_touch(world, fake::current_device(), {at, bytes, true}, fake::Toucher::kernel);
    if (code == cudaSuccess && bytes > 0) std::memset(at, value, bytes);
    return code;
  });
}

}  // extern "C"
