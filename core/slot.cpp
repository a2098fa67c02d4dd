#include "core/slot.hpp"

namespace ringside {

std::string to_string(const Slot& slot) {
  static constexpr const char* names[] = {"input", "output", "scratch"};
  return std::string(names[static_cast<int>(slot.buffer)]) + "[" +
         std::to_string(slot.chunk.value) + "] on rank " + std::to_string(slot.rank.value);
}

}  // namespace ringside
