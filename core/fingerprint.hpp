#pragma once

#include <cstdint>

#include "core/ids.hpp"
#include "core/mix.hpp"

namespace ringside {

/// A multiset of (rank, chunk) as a sum of random numbers modulo the prime 2^127 - 1. The sum of
/// none is 0, which no other has but by a chance of 2^-127.
class Fingerprint {
 public:
  constexpr Fingerprint() = default;
  static constexpr Fingerprint one(Rank rank, ChunkId chunk, std::uint64_t seed) {
    const auto place = std::uint64_t{rank.value} << 32 | chunk.value;
    const Wide drawn = Wide{mix(seed, place)} << 64 | mix(~seed, place);
    return Fingerprint(reduced((drawn & prime) + (drawn >> 127)));
  }
  constexpr bool empty() const { return sum_ == 0; }
  friend constexpr Fingerprint operator+(Fingerprint a, Fingerprint b) {
    return Fingerprint(reduced(a.sum_ + b.sum_));
  }
  friend constexpr Fingerprint operator-(Fingerprint a, Fingerprint b) {
    return Fingerprint(reduced(a.sum_ + (prime - b.sum_)));
  }
  friend constexpr bool operator==(Fingerprint, Fingerprint) = default;

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide prime = (Wide{1} << 127) - 1;
  static constexpr Wide reduced(Wide below_two_primes) {
    return below_two_primes >= prime ? below_two_primes - prime : below_two_primes;
  }
  constexpr explicit Fingerprint(Wide sum) : sum_(sum) {}
  Wide sum_ = 0;
};

}  // namespace ringside
