#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/element.hpp"

// A stretch of memory, shared among workers: the threads of a grid. One worker alone does all of
// it, so a CPU can run the very loops that a GPU runs.

namespace ringside::cuda {

/// target = source. The two do not overlap.
struct CopyTask {
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  std::uint64_t bytes = 0;
};

/// target[i] = with[i] (op) source[i]; for scale and divide, target[i] = source[i] (op) scalar.
/// Places aligned to their elements; the target is an operand's place or apart from it.
struct ElementTask {
  std::byte* target = nullptr;
  const std::byte *with = nullptr, *source = nullptr;
  std::uint64_t elements = 0;
  std::uint64_t scalar = 0;
  ElementOp op = ElementOp::sum;
};

/// The index-th of `count` workers.
struct Worker {
  std::uint64_t index = 0, count = 1;
};
/// In bytes: before `head`, and from `tail` on, one element at a time; between them whole vectors.
struct Cut {
  std::uint64_t head = 0, tail = 0;
};

namespace {

RS_HOST_DEVICE inline std::uint64_t past_boundary(const std::byte* at) {
  return reinterpret_cast<std::uintptr_t>(at) % sizeof(Vector);
}

/// No vectors where the places do not meet 16-byte boundaries at the same time.
RS_HOST_DEVICE inline Cut cut(const std::byte* target, const std::byte* source,
                              std::uint64_t bytes) {
  const auto past = past_boundary(target);
  const auto head = past == 0 ? 0 : sizeof(Vector) - past;
  if (past_boundary(source) != past || bytes < head) return {bytes, bytes};
  return {head, bytes - (bytes - head) % sizeof(Vector)};
}

RS_HOST_DEVICE inline Cut cut(const ElementTask& task, std::uint64_t bytes) {
  if (past_boundary(task.with) != past_boundary(task.source)) return {bytes, bytes};
  return cut(task.target, task.source, bytes);
}

/// This worker's units of those outside the vectors: `change(byte offset)`.
template <std::uint64_t unit, typename Change>
RS_HOST_DEVICE void each_single(const Cut& cut, std::uint64_t bytes, Worker worker, Change change) {
  const auto in_head = cut.head / unit, singles = in_head + (bytes - cut.tail) / unit;
  RS_NO_UNROLL
  for (auto i = worker.index; i < singles; i += worker.count)
    change(i < in_head ? i * unit : cut.tail + (i - in_head) * unit);
}

/// This worker's vectors, `unroll` at a time: all loads before the first store, so that they are
/// under way together. `load(byte offset, n)` keeps the n-th, `store(byte offset, n)` uses it.
template <int unroll, typename Load, typename Store>
RS_HOST_DEVICE void each_vector(const Cut& cut, Worker worker, Load load, Store store) {
  const auto stride = worker.count * sizeof(Vector);
  auto at = cut.head + worker.index * sizeof(Vector);
  for (; at + (unroll - 1) * stride < cut.tail; at += unroll * stride) {
    RS_UNROLL
    for (int n = 0; n < unroll; ++n) load(at + n * stride, n);
    RS_UNROLL
    for (int n = 0; n < unroll; ++n) store(at + n * stride, n);
  }
  for (; at < cut.tail; at += stride) load(at, 0), store(at, 0);
}

template <typename Unit>
RS_HOST_DEVICE Unit& unit_at(const std::byte* place, std::uint64_t offset) {
  return *reinterpret_cast<Unit*>(const_cast<std::byte*>(place) + offset);
}

/// This worker's share of a copy.
RS_HOST_DEVICE inline void copy_share(const CopyTask& task, Worker worker) {
  constexpr int unroll = 4;
  const Cut parts = cut(task.target, task.source, task.bytes);
  Vector kept[unroll];
  each_vector<unroll>(
      parts, worker, [&](std::uint64_t at, int n) { kept[n] = unit_at<Vector>(task.source, at); },
      [&](std::uint64_t at, int n) { unit_at<Vector>(task.target, at) = kept[n]; });
  const auto whole = (reinterpret_cast<std::uintptr_t>(task.target) |
                      reinterpret_cast<std::uintptr_t>(task.source) | task.bytes);
  using Word = host::Elements<std::uint32_t>;
  if (whole % sizeof(Word) == 0)
    return each_single<sizeof(Word)>(parts, task.bytes, worker, [&](std::uint64_t at) {
      unit_at<Word>(task.target, at) = unit_at<Word>(task.source, at);
    });
  each_single<1>(parts, task.bytes, worker,
                 [&](std::uint64_t at) { task.target[at] = task.source[at]; });
}

template <ElementType type, ElementOp op>
RS_HOST_DEVICE void element_share(const ElementTask& task, Worker worker) {
  using Bits = host::Elements<BitsOf<type>>;
  constexpr int unroll = sizeof(Bits) >= 4 ? 4 : sizeof(Bits);  // code grows with the lanes
  const auto* with = has_two_operands(op) ? task.with : task.source;
  const auto bytes = task.elements * sizeof(Bits);
  const Cut parts = cut({task.target, with, task.source, 0, 0, op}, bytes);
  Vector a[unroll], b[unroll];
  each_vector<unroll>(
      parts, worker,
      [&](std::uint64_t at, int n) {
        a[n] = unit_at<Vector>(with, at);
        b[n] = has_two_operands(op) ? unit_at<Vector>(task.source, at) : a[n];
      },
      [&](std::uint64_t at, int n) {
        unit_at<Vector>(task.target, at) = applied<type, op>(a[n], b[n], task.scalar);
      });
  each_single<sizeof(Bits)>(parts, bytes, worker, [&](std::uint64_t at) {
    unit_at<Bits>(task.target, at) =
        applied<type, op>(unit_at<Bits>(with, at), unit_at<Bits>(task.source, at), task.scalar);
  });
}

/// This worker's share of a task; the op is chosen once, outside the loops.
template <ElementType type>
RS_HOST_DEVICE void element_share(const ElementTask& task, Worker worker) {
  switch (task.op) {
    case ElementOp::sum:
      return element_share<type, ElementOp::sum>(task, worker);
    case ElementOp::prod:
      return element_share<type, ElementOp::prod>(task, worker);
    case ElementOp::min:
      return element_share<type, ElementOp::min>(task, worker);
    case ElementOp::max:
      return element_share<type, ElementOp::max>(task, worker);
    case ElementOp::scale:
      return element_share<type, ElementOp::scale>(task, worker);
    case ElementOp::divide:
      return element_share<type, ElementOp::divide>(task, worker);
  }
}

}  // namespace
}  // namespace ringside::cuda
