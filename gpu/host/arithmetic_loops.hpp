#pragma once

#include "gpu/host/arithmetic.hpp"
#include "gpu/host/element_arithmetic.hpp"

// The loops of arithmetic.hpp, written so that a compiler turns them into vector code: no branches,
// no calls. Compiled once for each instruction set, with internal linkage (element_arithmetic.hpp).

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
  using E = ElementType;
  static constexpr Arithmetic (*by_type[element_type_count])(ReduceOp) = {
      of_type<E::int8>,    of_type<E::uint8>,   of_type<E::int32>,   of_type<E::uint32>,
      of_type<E::int64>,   of_type<E::uint64>,  of_type<E::float16>, of_type<E::bfloat16>,
      of_type<E::float32>, of_type<E::float64>, of_type<E::f8e4m3>,  of_type<E::f8e5m2>};
  return by_type[static_cast<std::size_t>(reduction.type)](reduction.op);
}

}  // namespace
}  // namespace ringside::host
