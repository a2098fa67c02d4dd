#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/host/element_types.hpp"

// What a kernel does to elements, bit for bit as core/reduce.hpp defines it, in functions that are
// also plain C++: tests compare them with core without any device.

namespace ringside::cuda {

/// The first four combine two operands, as ranks do; scale and divide need one and a scalar:
/// mulsum's factor as an element's bits, or avg's divisor, 1 < divisor < 2^12.
enum class ElementOp : std::uint8_t { sum, prod, min, max, scale, divide };
inline constexpr std::size_t element_op_count = 6;

RS_HOST_DEVICE constexpr ElementOp element_op(ReduceOp op) {
  if (op == ReduceOp::prod) return ElementOp::prod;
  if (op == ReduceOp::min) return ElementOp::min;
  if (op == ReduceOp::max) return ElementOp::max;
  return ElementOp::sum;
}
RS_HOST_DEVICE constexpr bool has_two_operands(ElementOp op) {
  return op < ElementOp::scale;
}

/// 16 bytes: the most that a thread loads or stores at once.
struct __attribute__((may_alias, aligned(16))) Vector {
  std::uint64_t low, high;
};

// Internal linkage, as in the headers below this one.
namespace {

template <ElementType type>
using BitsOf = typename host::Of<type>::Bits;

/// One element: a (op) b, or a (op) scalar.
template <ElementType type, ElementOp op>
RS_HOST_DEVICE BitsOf<type> applied(BitsOf<type> a, BitsOf<type> b, std::uint64_t scalar) {
  using Element = host::Of<type>;
  if constexpr (op == ElementOp::sum) return Element::sum(a, b);
  if constexpr (op == ElementOp::prod) return Element::product(a, b);
  if constexpr (op == ElementOp::min) return Element::min(a, b);
  if constexpr (op == ElementOp::max) return Element::max(a, b);
  if constexpr (op == ElementOp::scale)
    return Element::product(a, static_cast<BitsOf<type>>(scalar));
  if constexpr (op == ElementOp::divide)
    return Element::quotient(a, static_cast<std::uint32_t>(scalar));
}

/// The same for the elements of several, side by side.
template <ElementType type, ElementOp op, typename Several>
RS_HOST_DEVICE Several applied_to_each(const Several& a, const Several& b, std::uint64_t scalar) {
  constexpr int lanes = sizeof(Several) / sizeof(BitsOf<type>);
  struct Lanes {
    BitsOf<type> at[lanes];
  };
  auto x = host::as<Lanes>(a);
  const auto y = host::as<Lanes>(b);
  RS_UNROLL
  for (int i = 0; i < lanes; ++i) x.at[i] = applied<type, op>(x.at[i], y.at[i], scalar);
  return host::as<Several>(x);
}

/// The same for all elements of a vector.
template <ElementType type, ElementOp op>
RS_HOST_DEVICE Vector applied(const Vector& a, const Vector& b, std::uint64_t scalar) {
  if constexpr (host::Of<type>::machine_adds) {
    return applied_to_each<type, op>(a, b, scalar);
  } else {
    // Types that are computed in float need much code, so one word's serves all four: the words go
    // round through the first place, as registers cannot be counted through.
    struct Words {
      std::uint32_t at[4];
    };
    auto x = host::as<Words>(a), y = host::as<Words>(b);
    RS_NO_UNROLL
    for (int turn = 0; turn < 4; ++turn) {
      const auto done = applied_to_each<type, op>(x.at[0], y.at[0], scalar);
      x = {x.at[1], x.at[2], x.at[3], done};
      y = {y.at[1], y.at[2], y.at[3], y.at[0]};
    }
    return host::as<Vector>(x);
  }
}

}  // namespace
}  // namespace ringside::cuda
