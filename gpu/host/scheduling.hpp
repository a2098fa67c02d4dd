#pragma once

#include <cstdint>

namespace ringside::host {

/// While this lives, the scheduler knows that the calling thread works for microseconds and then
/// waits: on a busy machine it runs soon after it was woken, not once another program's slice is
/// over. Never an error: where the system knows no such wish, nothing changes.
class ShortSlices {
 public:
  ShortSlices();
  ~ShortSlices();
  ShortSlices(const ShortSlices&) = delete;
  ShortSlices& operator=(const ShortSlices&) = delete;

 private:
  std::uint64_t before_ = 0;  // nanoseconds; 0: it was not changed
};

}  // namespace ringside::host
