#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/element.hpp"

namespace ringside {

// Element arithmetic as NCCL means it, slow and obvious; what every faster one is compared with.
//
// Integers wrap modulo 2^k; min and max compare as the type is signed. Floating results are rounded
// once to the type, ties to even, and saturate for the fp8 types (element.hpp). A NaN in a sum or
// product gives NaN; min and max drop a NaN if the other operand is a number, take -0 < +0, and
// return an operand's own bits. So min and max are associative to the last bit.

/// What is reduced, and how. Between ranks avg and mulsum add: scaling inputs (mulsum, `scale`) and
/// dividing the total (avg, `divide`) are done once, outside the schedule.
struct Reduction {
  ElementType type = ElementType::float32;
  ReduceOp op = ReduceOp::sum;
};

/// One element: a (op) b.
std::uint64_t combine(std::uint64_t a, std::uint64_t b, Reduction reduction);

/// dst[i] = with[i] (op) src[i]. All three equally long, in whole elements; dst may be with or src.
void reduce_into(std::span<std::byte> dst, std::span<const std::byte> with,
                 std::span<const std::byte> src, Reduction reduction);

/// `scalar` as an element: rounded for floating types; for integers truncated towards zero and kept
/// in range, NaN being 0.
std::uint64_t convert_scalar(double scalar, ElementType type);
/// x = x * scalar, the scalar converted to the type first. Integers wrap.
void scale(std::span<std::byte> data, ElementType type, double scalar);
/// x = x / divisor, divisor >= 1. Integers truncate towards zero. By 1: unchanged.
void divide(std::span<std::byte> data, ElementType type, std::uint32_t divisor);

}  // namespace ringside
