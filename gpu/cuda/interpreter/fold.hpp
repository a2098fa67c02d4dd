#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/element_loops.hpp"

// Many sources into many targets in one pass: each byte of a source is read once, each of a target
// written once, and what comes between stays in registers.

namespace ringside::cuda::interpreter {

constexpr std::uint32_t most_operands = 16;

/// Where the operands of an instruction lie. A target is a source's place or apart from it.
struct Places {
  std::byte* sources[most_operands];
  std::byte* targets[most_operands];
};

/// Every target = (source 0 (op) source 1) (op) ...; one source alone is copied, or where the op
/// takes a scalar, source 0 (op) scalar.
struct Fold {
  const Places* places = nullptr;
  std::uint32_t sources = 1, targets = 1;
  std::uint64_t elements = 0, scalar = 0;
  ElementOp op = ElementOp::sum;
};

namespace {

/// Whole vectors only where all places meet 16-byte boundaries at the same time.
RS_HOST_DEVICE inline Cut cut(const Fold& fold, std::uint64_t bytes) {
  const auto past = past_boundary(fold.places->sources[0]);
  bool meet = true;
  for (std::uint32_t s = 1; s < fold.sources; ++s)
    meet = meet && past_boundary(fold.places->sources[s]) == past;
  for (std::uint32_t t = 0; t < fold.targets; ++t)
    meet = meet && past_boundary(fold.places->targets[t]) == past;
  const auto head = past == 0 ? 0 : sizeof(Vector) - past;
  if (!meet || bytes < head) return {bytes, bytes};
  return {head, bytes - (bytes - head) % sizeof(Vector)};
}

/// `units` of them, `stride` apart: all loads of one source are under way together.
template <ElementType type, ElementOp op, typename Unit, int units>
RS_HOST_DEVICE void fold_units(const Fold& fold, std::uint64_t at, std::uint64_t stride) {
  Unit value[units], next[units];
  const auto load = [&](Unit(&into)[units], const std::byte* from) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int n = 0; n < units; ++n) into[n] = unit_at<Unit>(from, at + n * stride);
  };
  const auto apply = [&] {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int n = 0; n < units; ++n) value[n] = applied<type, op>(value[n], next[n], fold.scalar);
  };
  load(value, fold.places->sources[0]);
  if constexpr (!has_two_operands(op)) {
    load(next, fold.places->sources[0]);
    apply();
  }
  for (std::uint32_t s = 1; s < fold.sources; ++s) {
    load(next, fold.places->sources[s]);
    apply();
  }
  for (std::uint32_t t = 0; t < fold.targets; ++t)
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int n = 0; n < units; ++n)
      unit_at<Unit>(fold.places->targets[t], at + n * stride) = value[n];
}

/// This worker's share.
template <ElementType type, ElementOp op>
RS_HOST_DEVICE void fold_share(const Fold& fold, Worker worker) {
  using Bits = host::Elements<BitsOf<type>>;
  constexpr int unroll = sizeof(Bits) >= 4 ? 4 : sizeof(Bits);  // code grows with the lanes
  const auto bytes = fold.elements * sizeof(Bits);
  const Cut parts = cut(fold, bytes);
  const auto stride = worker.count * sizeof(Vector);
  auto at = parts.head + worker.index * sizeof(Vector);
  for (; at + (unroll - 1) * stride < parts.tail; at += unroll * stride)
    fold_units<type, op, Vector, unroll>(fold, at, stride);
  for (; at < parts.tail; at += stride) fold_units<type, op, Vector, 1>(fold, at, stride);
  each_single<sizeof(Bits)>(parts, bytes, worker, [&](std::uint64_t single) {
    fold_units<type, op, Bits, 1>(fold, single, 0);
  });
}

/// The op is chosen once, outside the loops.
template <ElementType type>
RS_HOST_DEVICE void fold_share(const Fold& fold, Worker worker) {
  switch (fold.op) {
    case ElementOp::sum:
      return fold_share<type, ElementOp::sum>(fold, worker);
    case ElementOp::prod:
      return fold_share<type, ElementOp::prod>(fold, worker);
    case ElementOp::min:
      return fold_share<type, ElementOp::min>(fold, worker);
    case ElementOp::max:
      return fold_share<type, ElementOp::max>(fold, worker);
    case ElementOp::scale:
      return fold_share<type, ElementOp::scale>(fold, worker);
    case ElementOp::divide:
      return fold_share<type, ElementOp::divide>(fold, worker);
  }
}

}  // namespace
}  // namespace ringside::cuda::interpreter
