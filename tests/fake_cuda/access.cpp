#include "tests/fake_cuda/access.hpp"

#include <algorithm>

namespace fake {
namespace {

std::string describe(const Touch& touch, Toucher who) {
  return std::string(who == Toucher::kernel ? "a kernel" : "a copy") +
         (touch.is_written ? " writes " : " reads ") + std::to_string(touch.bytes) + " B";
}

}  // namespace

cudaError_t check_touch(World& world, int device, const Touch& touch, Toucher who) {
  if (touch.bytes == 0) return cudaSuccess;
  const Allocation* const found = world.registry.find(touch.at);
  if (found == nullptr) {
    const auto once = world.registry.history(touch.at);
    if (once.empty() && who == Toucher::copy && touch.at != nullptr) return cudaSuccess;
    return world.violation(describe(touch, who) + " where nothing is allocated" + once,
                           cudaErrorIllegalAddress);
  }
  if (!found->holds(touch.at, touch.bytes))
    return world.violation(describe(touch, who) + " beyond the end of " + found->describe(),
                           cudaErrorIllegalAddress);
  if (found->kind != MemoryKind::device || found->device == device) return cudaSuccess;
  const auto from = static_cast<std::size_t>(device), to = static_cast<std::size_t>(found->device);
  if (world.enabled[from][to]) return cudaSuccess;
  return world.violation(describe(touch, who) + " of device " + std::to_string(to) + " on device " +
                             std::to_string(from) + " without peer access",
                         cudaErrorPeerAccessNotEnabled);
}

Clock cost_of(const World& world, int device, const Touch& touch) {
  const Allocation* const found = world.registry.find(touch.at);
  constexpr Clock local = 1, peer = 10, host = 40;  // picoseconds a byte
  const Clock each = found == nullptr || found->kind != MemoryKind::device ? host
                     : found->device == device                             ? local
                                                                           : peer;
  return each * static_cast<Clock>(touch.bytes);
}

bool leave_the_device(const World& world, int device, std::span<const Touch> touches) {
  return std::any_of(touches.begin(), touches.end(), [&](const Touch& touch) {
    const Allocation* const found = touch.bytes == 0 ? nullptr : world.registry.find(touch.at);
    return found != nullptr && found->kind == MemoryKind::device && found->device != device;
  });
}

void spoil_if_broken(const World& world, int device, std::span<const Touch> touches) {
  if (world.config.peers != Peers::broken || !leave_the_device(world, device, touches)) return;
  for (const Touch& touch : touches)
    if (touch.is_written && touch.bytes > 0)
      ++static_cast<unsigned char*>(const_cast<void*>(touch.at))[touch.bytes - 1];
}

}  // namespace fake
