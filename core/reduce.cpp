#include "core/reduce.hpp"

#include <cmath>
#include <limits>

#include "core/assert.hpp"

namespace ringside {
namespace {

// Every two-operand result below is exact in double or rounded to its 53 bits first. The second
// rounding, to a type of p <= 24 bits, never sees a difference: 53 >= 2p + 2 (Figueroa, "When is
// double rounding innocuous?", 1995).

std::int64_t as_signed(std::uint64_t bits, ElementType type) {
  const auto unused = 64 - 8 * size_of(type).count;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::uint64_t combine_integers(std::uint64_t a, std::uint64_t b, Reduction reduction) {
  const bool less = is_signed(reduction.type)
                        ? as_signed(a, reduction.type) < as_signed(b, reduction.type)
                        : a < b;
  switch (reduction.op) {
    case ReduceOp::prod:
      return a * b;
    case ReduceOp::min:
      return less ? a : b;
    case ReduceOp::max:
      return less ? b : a;
    default:
      return a + b;
  }
}

/// An order of all numbers in which -0 comes before +0.
bool less(double a, double b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

std::uint64_t combine_floats(std::uint64_t a, std::uint64_t b, Reduction reduction) {
  const double x = decode_float(a, reduction.type), y = decode_float(b, reduction.type);
  const bool extreme = reduction.op == ReduceOp::min || reduction.op == ReduceOp::max;
  if (!extreme) return encode_float(reduction.op == ReduceOp::prod ? x * y : x + y, reduction.type);
  if (std::isnan(x) && std::isnan(y)) return float_format(reduction.type).nan();
  if (std::isnan(x)) return b;
  if (std::isnan(y)) return a;
  return less(x, y) == (reduction.op == ReduceOp::min) ? a : b;
}

template <typename Change>
void for_each_element(std::span<std::byte> data, ElementType type, Change change) {
  const auto size = size_of(type).count;
  RS_ASSERT(data.size() % size == 0, "data comes in whole elements");
  for (std::size_t at = 0; at < data.size(); at += size)
    store_bits(&data[at], type, change(load_bits(&data[at], type)));
}

}  // namespace

std::uint64_t combine(std::uint64_t a, std::uint64_t b, Reduction reduction) {
  if (is_floating(reduction.type)) return combine_floats(a, b, reduction);
  const auto unused = 64 - 8 * size_of(reduction.type).count;  // a carry out of the top is lost
  return combine_integers(a, b, reduction) << unused >> unused;
}

void reduce_into(std::span<std::byte> dst, std::span<const std::byte> with,
                 std::span<const std::byte> src, Reduction reduction) {
  RS_ASSERT(dst.size() == with.size() && dst.size() == src.size(), "operands are equally long");
  std::size_t at = 0;
  for_each_element(dst, reduction.type, [&](std::uint64_t) {
    const auto a = load_bits(&with[at], reduction.type), b = load_bits(&src[at], reduction.type);
    at += size_of(reduction.type).count;
    return combine(a, b, reduction);
  });
}

std::uint64_t convert_scalar(double scalar, ElementType type) {
  if (is_floating(type)) return encode_float(scalar, type);
  if (std::isnan(scalar)) return 0;
  const auto bits = static_cast<int>(8 * size_of(type).count) - (is_signed(type) ? 1 : 0);
  const double above = std::ldexp(1, bits);  // one more than the largest
  const double whole = std::trunc(scalar);
  const auto largest = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  if (whole >= above) return largest;
  if (!is_signed(type)) return whole <= 0 ? 0 : static_cast<std::uint64_t>(whole);
  if (whole < -above) return largest + 1;
  const auto unused = 64 - 8 * size_of(type).count;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) << unused >> unused;
}

void scale(std::span<std::byte> data, ElementType type, double scalar) {
  const auto factor = convert_scalar(scalar, type);
  for_each_element(data, type, [&](std::uint64_t x) {
    return combine(x, factor, {type, ReduceOp::prod});
  });
}

void divide(std::span<std::byte> data, ElementType type, std::uint32_t divisor) {
  RS_ASSERT(divisor >= 1, "an average is over at least one rank");
  if (divisor == 1) return;
  for_each_element(data, type, [&](std::uint64_t x) {
    if (is_floating(type)) return encode_float(decode_float(x, type) / divisor, type);
    if (!is_signed(type)) return x / divisor;
    return static_cast<std::uint64_t>(as_signed(x, type) / std::int64_t{divisor});
  });
}

}  // namespace ringside
