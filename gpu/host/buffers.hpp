#pragma once

#include <cstddef>

#include "core/backend.hpp"
#include "core/collective.hpp"

namespace ringside::host {

/// Where ranks' chunks lie in memory.
struct Buffers {
  const Memory& memory;
  ChunkLayout layout;
  std::size_t element;  ///< bytes

  /// First byte of an input or output slot. Inputs too come without const, so that operations need
  /// one kind of place only; schedules never write to an input (ScheduleBuilder refuses them).
  std::byte* at(const Slot& slot) const {
    const auto& [input, output] = memory.ranks[slot.rank.value];
    const auto* first = slot.buffer == Buffer::input ? input.data() : output.data();
    return const_cast<std::byte*>(first) + layout.offset(slot.chunk) * element;
  }
};

}  // namespace ringside::host
