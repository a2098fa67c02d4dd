#pragma once

#include <cstdint>

namespace ringside {

/// A good hash of two numbers, the same everywhere: what seeded choices are drawn from. The
/// finaliser of Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  auto z = a + 0x9e3779b97f4a7c15u * (b + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace ringside
