#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tests/fake_cuda/world.hpp"

namespace fake {

/// One range of memory that work of a device touches.
struct Touch {
  const void* at = nullptr;
  std::size_t bytes = 0;
  bool is_written = false;
};

/// Whether work on `device` may touch this range: within one live allocation, and reachable. Host
/// memory that CUDA does not know is none of a kernel's business, but may be copied.
enum class Toucher { copy, kernel };
cudaError_t check_touch(World& world, int device, const Touch& touch, Toucher who);

/// Picoseconds that moving these bytes is pretended to take.
Clock cost_of(const World& world, int device, const Touch& touch);

/// Whether one of them is of another device's memory.
bool leave_the_device(const World& world, int device, std::span<const Touch> touches);

/// A driver that promises peer access and does not deliver: where work touched another device's
/// memory, what it wrote is spoilt.
void spoil_if_broken(const World& world, int device, std::span<const Touch> touches);

}  // namespace fake
