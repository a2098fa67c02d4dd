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

/// `units` of them from one place, `stride` apart: all loads are under way together.
template <typename Unit, int units>
RS_HOST_DEVICE void load_units(Unit (&into)[units], const std::byte* from, std::uint64_t stride) {
  RS_UNROLL
  for (int n = 0; n < units; ++n) into[n] = unit_at<Unit>(from, n * stride);
}

/// One source, as it is, to every target.
struct Copying {
  template <typename Unit, int units>
  static RS_HOST_DEVICE void do_units(const Fold& fold, std::uint64_t at, std::uint64_t stride) {
    Unit value[units];
    load_units(value, fold.places->sources[0] + at, stride);
    store_units(value, fold, at, stride);
  }
  template <typename Unit, int units>
  static RS_HOST_DEVICE void store_units(const Unit (&value)[units], const Fold& fold,
                                         std::uint64_t at, std::uint64_t stride) {
    RS_NO_UNROLL
    for (std::uint32_t t = 0; t < fold.targets; ++t) {
      auto* const target = fold.places->targets[t] + at;
      RS_UNROLL
      for (int n = 0; n < units; ++n) unit_at<Unit>(target, n * stride) = value[n];
    }
  }
};

template <ElementType type, ElementOp op>
struct Folding {
  template <typename Unit, int units>
  static RS_HOST_DEVICE void do_units(const Fold& fold, std::uint64_t at, std::uint64_t stride) {
    Unit value[units];
    load_units(value, fold.places->sources[0] + at, stride);
    if constexpr (has_two_operands(op)) {
      Unit next[units];
      RS_NO_UNROLL
      for (std::uint32_t s = 1; s < fold.sources; ++s) {
        load_units(next, fold.places->sources[s] + at, stride);
        apply(value, next, fold.scalar);
      }
    } else {
      apply(value, value, fold.scalar);
    }
    Copying::store_units(value, fold, at, stride);
  }
  template <typename Unit, int units>
  static RS_HOST_DEVICE void apply(Unit (&value)[units], const Unit (&next)[units],
                                   std::uint64_t scalar) {
    RS_UNROLL
    for (int n = 0; n < units; ++n) value[n] = applied<type, op>(value[n], next[n], scalar);
  }
};

/// This worker's share.
template <typename Way, typename Bits, int unroll>
RS_HOST_DEVICE void share(const Fold& fold, Worker worker) {
  const auto bytes = fold.elements * sizeof(Bits);
  const Cut parts = cut(fold, bytes);
  const auto stride = worker.count * sizeof(Vector);
  auto at = parts.head + worker.index * sizeof(Vector);
  if constexpr (unroll > 1) {
    RS_NO_UNROLL
    for (; at + (unroll - 1) * stride < parts.tail; at += unroll * stride)
      Way::template do_units<Vector, unroll>(fold, at, stride);
  }
  RS_NO_UNROLL
  for (; at < parts.tail; at += stride) Way::template do_units<Vector, 1>(fold, at, stride);
  each_single<sizeof(Bits)>(parts, bytes, worker, [&](std::uint64_t single) {
    Way::template do_units<Bits, 1>(fold, single, 0);
  });
}

template <ElementType type, ElementOp op>
RS_HOST_DEVICE void fold_share(const Fold& fold, Worker worker) {
  using Bits = host::Elements<BitsOf<type>>;
  // Code grows with the lanes, and compilers take their time: sums are what counts.
  constexpr int most = sizeof(Bits) >= 4 ? 4 : sizeof(Bits);
  constexpr int unroll = op == ElementOp::sum ? most : most / 4 + 1;
  share<Folding<type, op>, Bits, unroll>(fold, worker);
}

/// The op is chosen once, outside the loops.
template <ElementType type>
RS_HOST_DEVICE void fold_share(const Fold& fold, Worker worker) {
  if (fold.sources == 1 && has_two_operands(fold.op))
    return share<Copying, host::Elements<BitsOf<type>>, 4>(fold, worker);
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
