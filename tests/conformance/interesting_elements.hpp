#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "core/element.hpp"

namespace ringside::conformance {

inline constexpr ElementType all_types[] = {
    ElementType::int8,    ElementType::uint8,   ElementType::int32,   ElementType::uint32,
    ElementType::int64,   ElementType::uint64,  ElementType::float16, ElementType::bfloat16,
    ElementType::float32, ElementType::float64, ElementType::f8e4m3,  ElementType::f8e5m2};
inline constexpr ReduceOp all_ops[] = {ReduceOp::sum, ReduceOp::prod, ReduceOp::min,
                                       ReduceOp::max, ReduceOp::avg,  ReduceOp::mulsum};

/// Every pattern that a narrow type has; for wider ones what lies at borders, and random bits.
inline std::vector<std::uint64_t> interesting(ElementType type, std::mt19937_64& random) {
  const auto bits = 8 * size_of(type).count;
  std::vector<std::uint64_t> values;
  const auto count = bits == 8 ? 256u : 600u;
  const auto mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(bits == 8 ? i : random() & mask);
  if (bits == 8) return values;
  for (std::size_t b = 0; b < bits; ++b)
    for (const std::uint64_t around : {0, 1, 2}) {  // powers of two, and their neighbours
      values.push_back(((std::uint64_t{1} << b) - around) & mask);
      values.push_back(((std::uint64_t{1} << (bits - 1)) + (std::uint64_t{1} << b) - around) &
                       mask);
    }
  if (!is_floating(type)) return values;
  const auto f = float_format(type);
  for (const std::uint64_t magnitude : {f.largest() - 1, f.largest(), f.largest() + 1, f.nan()})
    for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1} << (bits - 1)})
      values.push_back(magnitude | sign);
  // Denormals, and what gives denormals when multiplied.
  for (int i = 0; i < 100; ++i) values.push_back(random() & ((1ull << f.fraction_bits) - 1));
  for (int i = 0; i < 200; ++i) {
    const double small = std::ldexp(1 + std::ldexp(static_cast<double>(random() >> 11), -53),
                                    f.smallest_exponent() / 2 - static_cast<int>(random() % 8));
    values.push_back(encode_float(small, type));
  }
  return values;
}

/// One byte behind any alignment.
inline std::vector<std::byte> bytes_of(const std::vector<std::uint64_t>& values, ElementType type) {
  const auto size = size_of(type).count;
  std::vector<std::byte> bytes(values.size() * size + 1);
  for (std::size_t i = 0; i < values.size(); ++i) store_bits(&bytes[1 + i * size], type, values[i]);
  return bytes;
}

}  // namespace ringside::conformance
