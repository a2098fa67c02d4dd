#pragma once

#include <cstddef>
#include <span>

#include "gpu/host/element_types.hpp"

// Many sources into many targets, a few vectors at a time: each byte of a source is read once, each
// of a target written once, and the total stays in registers between. So short a stretch of every
// buffer in turn keeps all of them coming from memory side by side.

namespace ringside::host {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64, vectors = 4;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32, vectors = 8;
#else
constexpr int vector_bytes = 16, vectors = 8;
#endif

template <typename Value>
struct VectorOf {
  typedef Value type __attribute__((vector_size(vector_bytes)));
};

/// The totals of `vectors` vectors. Where the compiler has vectors of the type, in its registers.
template <ElementType type, ReduceOp op>
struct Totals {
  using Bits = typename Of<type>::Bits;
  static constexpr std::size_t elements = vector_bytes * vectors / sizeof(Bits);
  Bits total[elements];

  void take(const std::byte* source) { __builtin_memcpy(total, source, sizeof total); }
  void add(const std::byte* source) {
    for (std::size_t i = 0; i < elements; ++i)
      total[i] = combined<type, op>(total[i], element_at<Bits>(source, i));
  }
  void give(std::byte* target) const { __builtin_memcpy(target, total, sizeof total); }
};

/// Sums of what machines add: integers wrap, floats need their one NaN.
template <ElementType type>
requires(Of<type>::machine_adds) struct Totals<type, ReduceOp::sum> {
  using Bits = typename Of<type>::Bits;
  using Value = typename Of<type>::Value;
  using Vector = typename VectorOf<Value>::type;
  static constexpr std::size_t elements = vector_bytes * vectors / sizeof(Bits);
  Vector total[vectors];

  static Vector load(const std::byte* at, int v) {
    return element_at<Vector>(at, static_cast<std::size_t>(v));
  }
  void take(const std::byte* source) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) total[v] = load(source, v);
  }
  void add(const std::byte* source) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      total[v] += load(source, v);
      if constexpr (Of<type>::may_be_nan)
        total[v] = total[v] == total[v] ? total[v] : Vector{} + as<Value>(Of<type>::nan);
    }
  }
  void give(std::byte* target) const {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) put_element(target, static_cast<std::size_t>(v), total[v]);
  }
};

template <ElementType type, ReduceOp op>
void combine_loop(std::span<std::byte* const> targets, std::span<const std::byte* const> sources,
                  std::size_t first, std::size_t last) {
  using Bits = typename Of<type>::Bits;
  auto at = first;
  for (; at + Totals<type, op>::elements <= last; at += Totals<type, op>::elements) {
    Totals<type, op> totals;
    const auto bytes = at * sizeof(Bits);
    totals.take(sources[0] + bytes);
    for (std::size_t s = 1; s < sources.size(); ++s) totals.add(sources[s] + bytes);
    for (std::byte* target : targets) totals.give(target + bytes);
  }
  for (; at < last; ++at) {
    Bits total = element_at<Bits>(sources[0], at);
    for (std::size_t s = 1; s < sources.size(); ++s)
      total = combined<type, op>(total, element_at<Bits>(sources[s], at));
    for (std::byte* target : targets) put_element(target, at, total);
  }
}

}  // namespace
}  // namespace ringside::host
