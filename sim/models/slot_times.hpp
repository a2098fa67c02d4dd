#pragma once

#include <cstdint>

// What a told story must remember of its slots. A word a slot, all zero at first: written at time
// 0, used by nobody. Inputs that are never written need none.

namespace ringside::sim::models {

/// When a slot was written, and whether it has been used since.
struct BriefWord {
  std::uint64_t written_and_used = 0;
  std::int64_t written() const { return static_cast<std::int64_t>(written_and_used >> 1); }
  bool is_used() const { return written_and_used & 1; }
  void use(std::int64_t) { written_and_used |= 1; }
  void write(std::int64_t when) { written_and_used = static_cast<std::uint64_t>(when) << 1; }
};

/// When it was written, and the latest use since.
struct FullWord {
  std::int64_t at = 0, last = 0;
  std::int64_t written() const { return at; }
  std::int64_t last_touched() const { return last; }
  void use(std::int64_t when) { last = last < when ? when : last; }
  void write(std::int64_t when) { at = last = when; }
};

}  // namespace ringside::sim::models
