#pragma once

#include <cstddef>
#include <span>

#include "gpu/host/element_types.hpp"

// Many sources into many targets, a few vectors at a time: each byte of a source is read once, each
// of a target written once, and the total stays in registers between. Memory is asked for what the
// next rounds need: so many buffers side by side are more than it foresees by itself.

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

/// Sums of `vectors` vectors of what machines add: integers wrap, floats need their one NaN. Of
/// other elements and operations the compiler makes no vectors that stay in registers.
template <ElementType type>
requires(Of<type>::machine_adds) struct Totals {
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

/// How far ahead memory is asked, in each of `sources`: 4 KiB of all, which is on its way at once,
/// but two rounds at least. Measured on 2, 4 and 8 buffers of 64 MiB (docs/performance.md).
inline std::size_t bytes_ahead(std::size_t sources) {
  return sources < 8 ? std::size_t{4096} / sources : 512;
}

/// Past a buffer's end nothing is read: asking is no access.
inline void ask_for(const std::byte* at) {
  for (int line = 0; line < vector_bytes * vectors; line += 64) __builtin_prefetch(at + line);
}

template <ElementType type>
void sum_loop(std::span<std::byte* const> targets, std::span<const std::byte* const> sources,
              std::size_t first, std::size_t last) {
  using Bits = typename Of<type>::Bits;
  const auto ahead = bytes_ahead(sources.size());
  auto at = first;
  for (; at + Totals<type>::elements <= last; at += Totals<type>::elements) {
    Totals<type> totals;
    const auto bytes = at * sizeof(Bits);
    for (const std::byte* source : sources) ask_for(source + bytes + ahead);
    totals.take(sources[0] + bytes);
    for (std::size_t s = 1; s < sources.size(); ++s) totals.add(sources[s] + bytes);
    for (std::byte* target : targets) totals.give(target + bytes);
  }
  for (; at < last; ++at) {
    Bits total = element_at<Bits>(sources[0], at);
    for (std::size_t s = 1; s < sources.size(); ++s)
      total = Of<type>::sum(total, element_at<Bits>(sources[s], at));
    for (std::byte* target : targets) put_element(target, at, total);
  }
}

}  // namespace
}  // namespace ringside::host
