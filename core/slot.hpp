#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "core/ids.hpp"

namespace ringside {

enum class Buffer : std::uint8_t { input, output, scratch };

/// One chunk-sized place.
struct Slot {
  Rank rank;
  Buffer buffer = Buffer::input;
  ChunkId chunk;
  friend constexpr auto operator<=>(const Slot&, const Slot&) = default;
};

constexpr Slot input(std::uint32_t rank, std::uint32_t chunk) {
  return {{rank}, Buffer::input, {chunk}};
}
constexpr Slot output(std::uint32_t rank, std::uint32_t chunk) {
  return {{rank}, Buffer::output, {chunk}};
}
constexpr Slot scratch(std::uint32_t rank, std::uint32_t chunk) {
  return {{rank}, Buffer::scratch, {chunk}};
}

/// The n-th of consecutive slots that start at `first`.
constexpr Slot nth(Slot first, std::uint32_t n) {
  first.chunk.value += n;
  return first;
}

std::string to_string(const Slot& slot);  ///< `output[3] on rank 2`

}  // namespace ringside
