#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/reduce.hpp"

namespace ringside::host {

/// Element arithmetic as core/reduce.hpp defines it, bit for bit, as fast as this machine's vectors
/// allow. Pointers need no alignment. A target is the same place as an operand or apart from it;
/// they never overlap otherwise.
struct Arithmetic {
  /// target[i] = with[i] (op) source[i]
  void (*reduce)(std::byte* target, const std::byte* with, const std::byte* source,
                 std::size_t elements) = nullptr;
  /// Every target[i] = (sources[0][i] (op) sources[1][i]) (op) ...; a target may be a source. Null
  /// where that is no faster than reducing two by two.
  void (*combine)(std::span<std::byte* const> targets, std::span<const std::byte* const> sources,
                  std::size_t first, std::size_t last) = nullptr;
  /// target[i] = source[i] * scalar, an element's bits
  void (*scale)(std::byte* target, const std::byte* source, std::size_t elements,
                std::uint64_t scalar) = nullptr;
  /// data[i] = data[i] / divisor, below most_divisor
  void (*divide)(std::byte* data, std::size_t elements, std::uint32_t divisor) = nullptr;
  static constexpr std::uint32_t most_divisor = 1 << 12;
};

/// The best that this machine has.
Arithmetic arithmetic(Reduction reduction);

/// The same loops compiled for one instruction set.
struct InstructionSet {
  std::string_view name;
  Arithmetic (*arithmetic)(Reduction reduction);
};
/// Those that this machine runs, the best one last.
std::span<const InstructionSet> instruction_sets();

}  // namespace ringside::host
