#pragma once

#include <cstddef>
#include <cstdint>

#include "core/reduce.hpp"

namespace ringside::host {

/// Element arithmetic as core/reduce.hpp defines it, bit for bit, as fast as this machine's vectors
/// allow. Pointers need no alignment. A target is the same place as an operand or apart from it;
/// they never overlap otherwise.
struct Arithmetic {
  /// target[i] = with[i] (op) source[i]
  void (*reduce)(std::byte* target, const std::byte* with, const std::byte* source,
                 std::size_t elements) = nullptr;
  /// target[i] = source[i] * scalar, an element's bits
  void (*scale)(std::byte* target, const std::byte* source, std::size_t elements,
                std::uint64_t scalar) = nullptr;
  /// data[i] = data[i] / divisor
  void (*divide)(std::byte* data, std::size_t elements, std::uint32_t divisor) = nullptr;
};

Arithmetic arithmetic(Reduction reduction);

}  // namespace ringside::host
