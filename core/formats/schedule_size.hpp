#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/transfer.hpp"

namespace ringside {

/// How large a schedule from a file has become. What is beyond any schedule that people read is
/// refused as soon as it is, before memory is spent on it.
struct ScheduleSize {
  static constexpr std::uint64_t most = std::uint64_t{1} << 23;

  std::uint64_t participants = 0, chunks = 0;  ///< as the header says
  std::uint64_t scratch = 0, moved = 0;        ///< slots: a rank's, and moved by all transfers

  void add(const Transfer& t) {
    moved += t.chunks();
    for (const Slot& slot : {t.src(), t.with(), t.dst()})
      if (slot.buffer == Buffer::scratch)
        scratch = std::max(scratch, std::uint64_t{slot.chunk.value} + t.chunks());
  }
  bool fits() const { return participants * (2 * chunks + scratch) <= most && moved <= most; }
  static std::string refusal() {
    return "the schedule is too large: at most " + std::to_string(most) +
           " slots on all ranks, and as many moved, can be read from a file";
  }
};

}  // namespace ringside
