#pragma once

#include <cstdint>

namespace ringside::algorithms {

/// `position` modulo n, in 0..n-1. Stories ask for the next place of a ring at each transfer, which
/// mostly is one away: a division is rarely needed.
constexpr std::uint32_t wrapped(std::int64_t position, std::int64_t n) {
  if (position >= n) position -= n;
  if (position < 0) position += n;
  if (position < 0 || position >= n) position = (position % n + n) % n;
  return static_cast<std::uint32_t>(position);
}

}  // namespace ringside::algorithms
