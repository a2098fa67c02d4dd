#pragma once

#include "core/reduce.hpp"
#include "gpu/host/element_arithmetic.hpp"

// Every element type of NCCL's, and what an op does to two elements of it.

namespace ringside::host {
namespace {

template <typename Bits>
struct Unaligned {
  typedef Bits type __attribute__((may_alias, aligned(1)));
};
template <typename Bits>
using Elements = typename Unaligned<Bits>::type;

// Elements at any address, where a pointer that says so would lose its alignment of 1: GCC forgets
// it in templates.

template <typename Bits>
RS_HOST_DEVICE inline Bits element_at(const std::byte* first, std::size_t i) {
  Bits bits;
  __builtin_memcpy(&bits, first + i * sizeof bits, sizeof bits);
  return bits;
}
template <typename Bits>
RS_HOST_DEVICE inline void put_element(std::byte* first, std::size_t i, Bits bits) {
  __builtin_memcpy(first + i * sizeof bits, &bits, sizeof bits);
}

template <ElementType type>
struct Of;
template <>
struct Of<ElementType::int8> : Integer<std::uint8_t, std::int8_t> {
  // Exact below 2^24, then truncated.
  RS_HOST_DEVICE static Bits quotient(Bits a, std::uint32_t n) {
    const float whole = static_cast<float>(as<std::int8_t>(a)) / static_cast<float>(n);
    return static_cast<Bits>(static_cast<std::int32_t>(whole));
  }
};
template <>
struct Of<ElementType::uint8> : Integer<std::uint8_t, std::uint8_t> {
  RS_HOST_DEVICE static Bits quotient(Bits a, std::uint32_t n) {
    return static_cast<Bits>(
        static_cast<std::int32_t>(static_cast<float>(a) / static_cast<float>(n)));
  }
};
template <>
struct Of<ElementType::int32> : Integer<std::uint32_t, std::int32_t> {
  // Exact in double's 53 bits, then truncated.
  RS_HOST_DEVICE static Bits quotient(Bits a, std::uint32_t n) {
    return as<Bits>(static_cast<std::int32_t>(static_cast<double>(as<std::int32_t>(a)) / n));
  }
};
template <>
struct Of<ElementType::uint32> : Integer<std::uint32_t, std::uint32_t> {
  RS_HOST_DEVICE static Bits quotient(Bits a, std::uint32_t n) {
    return static_cast<Bits>(static_cast<std::int64_t>(static_cast<double>(a) / n));
  }
};
template <>
struct Of<ElementType::int64> : Integer<std::uint64_t, std::int64_t> {
  RS_HOST_DEVICE static Bits quotient(Bits a, std::uint32_t n) {
    return as<Bits>(as<std::int64_t>(a) / std::int64_t{n});
  }
};
template <>
struct Of<ElementType::uint64> : Integer<std::uint64_t, std::uint64_t> {
  RS_HOST_DEVICE static Bits quotient(Bits a, std::uint32_t n) { return a / n; }
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
RS_HOST_DEVICE typename Of<type>::Bits combined(typename Of<type>::Bits a,
                                                typename Of<type>::Bits b) {
  if constexpr (op == ReduceOp::prod) return Of<type>::product(a, b);
  if constexpr (op == ReduceOp::min) return Of<type>::min(a, b);
  if constexpr (op == ReduceOp::max) return Of<type>::max(a, b);
  return Of<type>::sum(a, b);
}

}  // namespace
}  // namespace ringside::host
