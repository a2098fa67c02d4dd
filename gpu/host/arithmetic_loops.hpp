#pragma once

#include "gpu/host/arithmetic.hpp"
#include "gpu/host/element_types.hpp"
#include "gpu/host/sum_loop.hpp"

// The loops of arithmetic.hpp, written so that a compiler turns them into vector code: no branches,
// no calls. Compiled once for each instruction set, with internal linkage (element_arithmetic.hpp).

#if defined(__clang__)
#define RS_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define RS_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace ringside::host {
namespace {

template <ElementType type, ReduceOp op>
void reduce_loop(std::byte* target, const std::byte* with, const std::byte* source,
                 std::size_t elements) {
  using Bits = typename Of<type>::Bits;
  RS_INDEPENDENT
  for (std::size_t i = 0; i < elements; ++i)
    put_element<Bits>(target, i,
                      combined<type, op>(element_at<Bits>(with, i), element_at<Bits>(source, i)));
}

template <ElementType type>
void scale_loop(std::byte* target, const std::byte* source, std::size_t elements,
                std::uint64_t scalar) {
  using Bits = typename Of<type>::Bits;
  const auto factor = static_cast<Bits>(scalar);
  RS_INDEPENDENT
  for (std::size_t i = 0; i < elements; ++i)

    put_element<Bits>(target, i, Of<type>::product(element_at<Bits>(source, i), factor));
}

template <ElementType type>
void divide_loop(std::byte* data, std::size_t elements, std::uint32_t divisor) {
  using Bits = typename Of<type>::Bits;
  if (divisor == 1) return;
  RS_INDEPENDENT
  for (std::size_t i = 0; i < elements; ++i)
    put_element<Bits>(data, i, Of<type>::quotient(element_at<Bits>(data, i), divisor));
}

template <ElementType type, ReduceOp op>
Arithmetic of_op() {
  Arithmetic loops{&reduce_loop<type, op>, nullptr, &scale_loop<type>, &divide_loop<type>};
  if constexpr (op == ReduceOp::sum && Of<type>::machine_adds) loops.combine = &sum_loop<type>;
  return loops;
}

template <ElementType type>
Arithmetic of_type(ReduceOp op) {
  if (op == ReduceOp::prod) return of_op<type, ReduceOp::prod>();
  if (op == ReduceOp::min) return of_op<type, ReduceOp::min>();
  if (op == ReduceOp::max) return of_op<type, ReduceOp::max>();
  return of_op<type, ReduceOp::sum>();
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
