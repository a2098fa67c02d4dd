#pragma once

#include <cstdint>

#include "gpu/host/host_device.hpp"

// Sums, products and order of elements, as straight-line code on their bits. Everything has
// internal linkage: each file that includes this is compiled for another instruction set, and a
// linker would keep only one of two functions of one name.

namespace ringside::host {
namespace {

template <typename To, typename From>
RS_HOST_DEVICE inline To as(From bits) {
  return __builtin_bit_cast(To, bits);
}

/// Integers: arithmetic on unsigned bits wraps as defined; signs matter for order only.
template <typename Unsigned, typename Ordered>
struct Integer {
  using Bits = Unsigned;
  using Value = Unsigned;
  static constexpr bool machine_adds = true, may_be_nan = false;
  RS_HOST_DEVICE static Bits sum(Bits a, Bits b) { return static_cast<Bits>(a + b); }
  RS_HOST_DEVICE static Bits product(Bits a, Bits b) { return static_cast<Bits>(a * b); }
  RS_HOST_DEVICE static Bits min(Bits a, Bits b) { return as<Ordered>(b) < as<Ordered>(a) ? b : a; }
  RS_HOST_DEVICE static Bits max(Bits a, Bits b) { return as<Ordered>(b) < as<Ordered>(a) ? a : b; }
};

/// Order of floating elements by their bits: as sign and magnitude, -0 before +0.
template <typename Self, typename Unsigned, typename Signed>
struct FloatOrder {  // NOLINT(bugprone-crtp-constructor-accessibility): nobody makes one
  using Bits = Unsigned;
  static constexpr Bits magnitude_mask = static_cast<Bits>(~Bits{0}) >> 1;
  RS_HOST_DEVICE static bool is_nan(Bits a) { return (a & magnitude_mask) > Self::last_number; }
  RS_HOST_DEVICE static Signed key(Bits a) {
    const Signed negative = as<Signed>(a) < 0 ? as<Signed>(magnitude_mask) : Signed{0};
    return static_cast<Signed>(as<Signed>(a) ^ negative);
  }
  RS_HOST_DEVICE static Bits among_numbers(Bits a, Bits b, Bits chosen) {
    const Bits without_a = is_nan(b) ? Self::nan : b;
    const Bits with_a = is_nan(b) ? a : chosen;
    return is_nan(a) ? without_a : with_a;
  }
  RS_HOST_DEVICE static Bits min(Bits a, Bits b) {
    return among_numbers(a, b, key(b) < key(a) ? b : a);
  }
  RS_HOST_DEVICE static Bits max(Bits a, Bits b) {
    return among_numbers(a, b, key(b) < key(a) ? a : b);
  }
};

/// float and double: what the machine adds is right, but for the NaN it gives.
template <typename Number, typename Unsigned, typename Signed, Unsigned infinity, Unsigned quiet>
struct Native : FloatOrder<Native<Number, Unsigned, Signed, infinity, quiet>, Unsigned, Signed> {
  using Bits = Unsigned;
  using Value = Number;
  static constexpr bool machine_adds = true, may_be_nan = true;
  static constexpr Bits last_number = infinity, nan = quiet;
  // NOLINTNEXTLINE(misc-redundant-expression): a NaN is not itself
  RS_HOST_DEVICE static Bits of(Value value) { return value != value ? nan : as<Bits>(value); }
  RS_HOST_DEVICE static Bits sum(Bits a, Bits b) { return of(as<Value>(a) + as<Value>(b)); }
  RS_HOST_DEVICE static Bits product(Bits a, Bits b) { return of(as<Value>(a) * as<Value>(b)); }
  RS_HOST_DEVICE static Bits quotient(Bits a, std::uint32_t n) {
    return of(as<Value>(a) / static_cast<Value>(n));
  }
};

/// Narrow types: computed in float, whose 24 bits are enough that the second rounding never shows
/// (core/reduce.cpp): p <= 11 bits, and divisors below 2^12.
template <int exponent, int fraction, bool infinite, bool saturates, typename Unsigned,
          typename Signed>
struct Narrow : FloatOrder<Narrow<exponent, fraction, infinite, saturates, Unsigned, Signed>,
                           Unsigned, Signed> {
  using Bits = Unsigned;
  static constexpr bool machine_adds = false;
  static constexpr std::uint32_t sign = 1u << (exponent + fraction);
  static constexpr std::uint32_t all_ones = sign - 1;
  static constexpr std::uint32_t infinity = all_ones >> fraction << fraction;
  static constexpr Bits nan =
      static_cast<Bits>(infinite ? infinity | 1u << (fraction - 1) : all_ones);
  static constexpr Bits last_number = static_cast<Bits>(infinite ? infinity : nan - 1);
  static constexpr std::uint32_t largest = infinite ? infinity - 1 : nan - 1u;
  static constexpr std::uint32_t too_large = saturates ? largest : largest + 1;
  static constexpr int bias = (1 << (exponent - 1)) - 1, shift = 23 - fraction;
  static constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - bias) << 23;
  static constexpr bool same_exponents = exponent == 8;  // denormals are denormals of float

  RS_HOST_DEVICE static float value(Bits bits) {
    const std::uint32_t magnitude = bits & all_ones;
    std::uint32_t wide = (magnitude << shift) + rebias;
    if constexpr (!same_exponents) {
      constexpr float unit = as_power_of_two(1 - bias - fraction);
      const float denormal = static_cast<float>(static_cast<std::int32_t>(magnitude)) * unit;
      wide = magnitude < 1u << fraction ? as<std::uint32_t>(denormal) : wide;
      wide = magnitude > largest ? 0x7f800000u : wide;
      wide = magnitude > last_number ? 0x7fc00000u : wide;
    }
    return as<float>(wide | (bits & sign) << (31 - exponent - fraction));
  }

  RS_HOST_DEVICE static Bits of(float value) {
    const auto bits = as<std::uint32_t>(value), magnitude = bits & 0x7fffffffu;
    constexpr std::uint32_t below_half = (1u << (shift - 1)) - 1;
    const std::uint32_t odd = magnitude >> shift & 1;
    std::uint32_t rounded = ((magnitude + below_half + odd) >> shift) - (rebias >> shift);
    if constexpr (!same_exponents) {
      // Adding a power of two whose last place is the smallest denormal rounds to a multiple of it.
      constexpr float power = as_power_of_two(24 - bias - fraction);
      constexpr std::uint32_t smallest_normal = rebias + (1u << 23);
      const auto denormal = as<std::uint32_t>(as<float>(magnitude) + power);
      rounded = magnitude < smallest_normal ? denormal - as<std::uint32_t>(power) : rounded;
    }
    rounded = rounded < too_large ? rounded : too_large;
    rounded |= bits >> 31 << (exponent + fraction);
    return static_cast<Bits>(magnitude > 0x7f800000u ? nan : rounded);
  }

  RS_HOST_DEVICE static constexpr float as_power_of_two(int power) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(127 + power) << 23);
  }
  RS_HOST_DEVICE static Bits sum(Bits a, Bits b) { return of(value(a) + value(b)); }
  RS_HOST_DEVICE static Bits product(Bits a, Bits b) { return of(value(a) * value(b)); }
  RS_HOST_DEVICE static Bits quotient(Bits a, std::uint32_t n) {
    return of(value(a) / static_cast<float>(n));
  }
};

}  // namespace
}  // namespace ringside::host
