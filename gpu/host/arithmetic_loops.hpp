#pragma once

// The loops of arithmetic.hpp, written so that a compiler turns them into vector code: no branches,
// no calls. Included once by one file for each instruction set, each compiled with its own flags,
// so nothing here may have a name that two of them share: a linker would keep one of the two.

#include "gpu/host/arithmetic.hpp"

#if defined(__clang__)
#define RS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define RS_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace ringside::host {
namespace {

template <typename Bits>
struct Unaligned {
  typedef Bits type __attribute__((may_alias, aligned(1)));
};
template <typename Bits>
using Elements = typename Unaligned<Bits>::type;

template <typename To, typename From>
inline To as(From bits) {
  return __builtin_bit_cast(To, bits);
}

/// Integers: arithmetic on unsigned bits wraps as defined; signs matter for order only.
template <typename Unsigned, typename Ordered>
struct Integer {
  using Bits = Unsigned;
  static Bits sum(Bits a, Bits b) { return static_cast<Bits>(a + b); }
  static Bits product(Bits a, Bits b) { return static_cast<Bits>(a * b); }
  static Bits min(Bits a, Bits b) { return as<Ordered>(b) < as<Ordered>(a) ? b : a; }
  static Bits max(Bits a, Bits b) { return as<Ordered>(b) < as<Ordered>(a) ? a : b; }
};

/// Order of floating elements by their bits: as sign and magnitude, -0 before +0.
template <typename Self, typename Unsigned, typename Signed>
struct FloatOrder {
  using Bits = Unsigned;
  static constexpr Bits magnitude_mask = static_cast<Bits>(~Bits{0}) >> 1;
  static bool is_nan(Bits a) { return (a & magnitude_mask) > Self::last_number; }
  static Signed key(Bits a) {
    const Signed negative = as<Signed>(a) < 0 ? as<Signed>(magnitude_mask) : Signed{0};
    return static_cast<Signed>(as<Signed>(a) ^ negative);
  }
  static Bits among_numbers(Bits a, Bits b, Bits chosen) {
    const Bits without_a = is_nan(b) ? Self::nan : b;
    const Bits with_a = is_nan(b) ? a : chosen;
    return is_nan(a) ? without_a : with_a;
  }
  static Bits min(Bits a, Bits b) { return among_numbers(a, b, key(b) < key(a) ? b : a); }
  static Bits max(Bits a, Bits b) { return among_numbers(a, b, key(b) < key(a) ? a : b); }
};

/// float and double: what the machine adds is right, but for the NaN it gives.
template <typename Value, typename Unsigned, typename Signed, Unsigned infinity, Unsigned quiet>
struct Native : FloatOrder<Native<Value, Unsigned, Signed, infinity, quiet>, Unsigned, Signed> {
  using Bits = Unsigned;
  static constexpr Bits last_number = infinity, nan = quiet;
  static Bits of(Value value) { return value != value ? nan : as<Bits>(value); }
  static Bits sum(Bits a, Bits b) { return of(as<Value>(a) + as<Value>(b)); }
  static Bits product(Bits a, Bits b) { return of(as<Value>(a) * as<Value>(b)); }
  static Bits quotient(Bits a, std::uint32_t n) { return of(as<Value>(a) / static_cast<Value>(n)); }
};

/// Narrow types: computed in float, whose 24 bits are enough that the second rounding never shows
/// (core/reduce.cpp): p <= 11 bits, and divisors below 2^12.
template <int exponent, int fraction, bool infinite, bool saturates, typename Unsigned,
          typename Signed>
struct Narrow : FloatOrder<Narrow<exponent, fraction, infinite, saturates, Unsigned, Signed>,
                           Unsigned, Signed> {
  using Bits = Unsigned;
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

  static float value(Bits bits) {
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

  static Bits of(float value) {
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

  static constexpr float as_power_of_two(int power) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(127 + power) << 23);
  }
  static Bits sum(Bits a, Bits b) { return of(value(a) + value(b)); }
  static Bits product(Bits a, Bits b) { return of(value(a) * value(b)); }
  static Bits quotient(Bits a, std::uint32_t n) { return of(value(a) / static_cast<float>(n)); }
};

template <ElementType type>
struct Of;
template <>
struct Of<ElementType::int8> : Integer<std::uint8_t, std::int8_t> {
  static Bits quotient(Bits a, std::uint32_t n) {  // exact below 2^24, then truncated
    const float whole = static_cast<float>(as<std::int8_t>(a)) / static_cast<float>(n);
    return static_cast<Bits>(static_cast<std::int32_t>(whole));
  }
};
template <>
struct Of<ElementType::uint8> : Integer<std::uint8_t, std::uint8_t> {
  static Bits quotient(Bits a, std::uint32_t n) {
    return static_cast<Bits>(
        static_cast<std::int32_t>(static_cast<float>(a) / static_cast<float>(n)));
  }
};
template <>
struct Of<ElementType::int32> : Integer<std::uint32_t, std::int32_t> {
  static Bits quotient(Bits a, std::uint32_t n) {  // exact in double's 53 bits, then truncated
    return as<Bits>(static_cast<std::int32_t>(static_cast<double>(as<std::int32_t>(a)) / n));
  }
};
template <>
struct Of<ElementType::uint32> : Integer<std::uint32_t, std::uint32_t> {
  static Bits quotient(Bits a, std::uint32_t n) {
    return static_cast<Bits>(static_cast<std::int64_t>(static_cast<double>(a) / n));
  }
};
template <>
struct Of<ElementType::int64> : Integer<std::uint64_t, std::int64_t> {
  static Bits quotient(Bits a, std::uint32_t n) {
    return as<Bits>(as<std::int64_t>(a) / std::int64_t{n});
  }
};
template <>
struct Of<ElementType::uint64> : Integer<std::uint64_t, std::uint64_t> {
  static Bits quotient(Bits a, std::uint32_t n) { return a / n; }
};
template <>
struct Of<ElementType::float16> : Narrow<5, 10, true, false, std::uint16_t, std::int16_t> {};
template <>
struct Of<ElementType::bfloat16> : Narrow<8, 7, true, false, std::uint16_t, std::int16_t> {};
template <>
struct Of<ElementType::float32>
    : Native<float, std::uint32_t, std::int32_t, 0x7f800000u, 0x7fc00000u> {};
template <>
struct Of<ElementType::float64>
    : Native<double, std::uint64_t, std::int64_t, 0x7ff0000000000000u, 0x7ff8000000000000u> {};
template <>
struct Of<ElementType::f8e4m3> : Narrow<4, 3, false, true, std::uint8_t, std::int8_t> {};
template <>
struct Of<ElementType::f8e5m2> : Narrow<5, 2, true, true, std::uint8_t, std::int8_t> {};

template <ElementType type, ReduceOp op>
typename Of<type>::Bits combined(typename Of<type>::Bits a, typename Of<type>::Bits b) {
  if constexpr (op == ReduceOp::prod) return Of<type>::product(a, b);
  if constexpr (op == ReduceOp::min) return Of<type>::min(a, b);
  if constexpr (op == ReduceOp::max) return Of<type>::max(a, b);
  return Of<type>::sum(a, b);
}

template <ElementType type, ReduceOp op>
void reduce_loop(std::byte* target, const std::byte* with, const std::byte* source,
                 std::size_t elements) {
  using Bits = typename Of<type>::Bits;
  auto* t = reinterpret_cast<Elements<Bits>*>(target);
  const auto* w = reinterpret_cast<const Elements<Bits>*>(with);
  const auto* s = reinterpret_cast<const Elements<Bits>*>(source);
  RS_INDEPENDENT
  for (std::size_t i = 0; i < elements; ++i) t[i] = combined<type, op>(w[i], s[i]);
}

template <ElementType type>
void scale_loop(std::byte* target, const std::byte* source, std::size_t elements,
                std::uint64_t scalar) {
  using Bits = typename Of<type>::Bits;
  auto* t = reinterpret_cast<Elements<Bits>*>(target);
  const auto* s = reinterpret_cast<const Elements<Bits>*>(source);
  const auto factor = static_cast<Bits>(scalar);
  RS_INDEPENDENT
  for (std::size_t i = 0; i < elements; ++i) t[i] = Of<type>::product(s[i], factor);
}

template <ElementType type>
void divide_loop(std::byte* data, std::size_t elements, std::uint32_t divisor) {
  auto* x = reinterpret_cast<Elements<typename Of<type>::Bits>*>(data);
  if (divisor == 1) return;
  RS_INDEPENDENT
  for (std::size_t i = 0; i < elements; ++i) x[i] = Of<type>::quotient(x[i], divisor);
}

template <ElementType type>
Arithmetic of_type(ReduceOp op) {
  auto* reduce = &reduce_loop<type, ReduceOp::sum>;
  if (op == ReduceOp::prod) reduce = &reduce_loop<type, ReduceOp::prod>;
  if (op == ReduceOp::min) reduce = &reduce_loop<type, ReduceOp::min>;
  if (op == ReduceOp::max) reduce = &reduce_loop<type, ReduceOp::max>;
  return {reduce, &scale_loop<type>, &divide_loop<type>};
}

Arithmetic loops_for(Reduction reduction) {
  switch (reduction.type) {
    case ElementType::int8:
      return of_type<ElementType::int8>(reduction.op);
    case ElementType::uint8:
      return of_type<ElementType::uint8>(reduction.op);
    case ElementType::int32:
      return of_type<ElementType::int32>(reduction.op);
    case ElementType::uint32:
      return of_type<ElementType::uint32>(reduction.op);
    case ElementType::int64:
      return of_type<ElementType::int64>(reduction.op);
    case ElementType::uint64:
      return of_type<ElementType::uint64>(reduction.op);
    case ElementType::float16:
      return of_type<ElementType::float16>(reduction.op);
    case ElementType::bfloat16:
      return of_type<ElementType::bfloat16>(reduction.op);
    case ElementType::float32:
      return of_type<ElementType::float32>(reduction.op);
    case ElementType::float64:
      return of_type<ElementType::float64>(reduction.op);
    case ElementType::f8e4m3:
      return of_type<ElementType::f8e4m3>(reduction.op);
    case ElementType::f8e5m2:
      return of_type<ElementType::f8e5m2>(reduction.op);
  }
  return {};
}

}  // namespace
}  // namespace ringside::host
