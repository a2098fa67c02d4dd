#pragma once

#include <cstdint>

#include "core/mix.hpp"

namespace ringside::training {

/// Numbers drawn from a seed: the same on every machine, whatever its standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  /// From `least` up to but not `most`, all alike.
  double between(double least, double most) {
    constexpr double unit = 0x1p-53;
    return least + (most - least) * static_cast<double>(mix(seed_, drawn_++) >> 11) * unit;
  }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(between(0, end)); }

 private:
  std::uint64_t seed_, drawn_ = 0;
};

}  // namespace ringside::training
