#include "core/element.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "core/assert.hpp"
#include "core/suggest.hpp"

static_assert(std::endian::native == std::endian::little, "elements are moved as they lie");

namespace ringside {
namespace {

constexpr std::array<std::string_view, element_type_count> type_names{
    "int8", "uint8",    "int32", "uint32", "int64",  "uint64",
    "half", "bfloat16", "float", "double", "f8e4m3", "f8e5m2"};
/// What other libraries call them; read, never printed.
struct Alias {
  std::string_view text;
  ElementType type;
};
constexpr std::array<Alias, 7> type_aliases{{{"fp16", ElementType::float16},
                                             {"float16", ElementType::float16},
                                             {"bf16", ElementType::bfloat16},
                                             {"fp32", ElementType::float32},
                                             {"float32", ElementType::float32},
                                             {"fp64", ElementType::float64},
                                             {"float64", ElementType::float64}}};
constexpr std::array<std::uint8_t, element_type_count> type_sizes{1, 1, 4, 4, 8, 8,
                                                                  2, 2, 4, 8, 1, 1};
constexpr std::array<std::string_view, reduce_op_count> op_names{"sum", "prod", "min",
                                                                 "max", "avg",  "mulsum"};

std::uint64_t sign_bit(FloatFormat f) {
  return std::uint64_t{1} << (f.exponent_bits + f.fraction_bits);
}

}  // namespace

std::string_view name(ElementType type) {
  return type_names[static_cast<std::size_t>(type)];
}
std::string_view name(ReduceOp op) {
  return op_names[static_cast<std::size_t>(op)];
}
Bytes size_of(ElementType type) {
  return {type_sizes[static_cast<std::size_t>(type)]};
}
bool is_floating(ElementType type) {
  return type >= ElementType::float16;
}
bool is_signed(ElementType type) {
  return is_floating(type) || type == ElementType::int8 || type == ElementType::int32 ||
         type == ElementType::int64;
}

Result<ElementType> parse_element_type(std::string_view text) {
  for (std::size_t i = 0; i < element_type_count; ++i)
    if (text == type_names[i]) return static_cast<ElementType>(i);
  for (const Alias& alias : type_aliases)
    if (text == alias.text) return alias.type;
  return bad_request(unknown("data type", text, type_names));
}

Result<ReduceOp> parse_reduce_op(std::string_view text) {
  for (std::size_t i = 0; i < reduce_op_count; ++i)
    if (text == op_names[i]) return static_cast<ReduceOp>(i);
  return bad_request(unknown("reduction", text, op_names));
}

std::uint64_t FloatFormat::largest() const {
  const auto infinity = ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  return has_infinity ? infinity - 1 : nan() - 1;
}

std::uint64_t FloatFormat::nan() const {
  const auto all_ones = (std::uint64_t{1} << (exponent_bits + fraction_bits)) - 1;
  const auto quiet = all_ones & ~((std::uint64_t{1} << (fraction_bits - 1)) - 1);
  return has_infinity ? quiet : all_ones;
}

FloatFormat float_format(ElementType type) {
  switch (type) {
    case ElementType::float16:
      return {5, 10, true, false};
    case ElementType::bfloat16:
      return {8, 7, true, false};
    case ElementType::float32:
      return {8, 23, true, false};
    case ElementType::f8e4m3:
      return {4, 3, false, true};
    case ElementType::f8e5m2:
      return {5, 2, true, true};
    default:
      RS_ASSERT(type == ElementType::float64, "only floating types have a float format");
      return {11, 52, true, false};
  }
}

std::uint64_t load_bits(const std::byte* at, ElementType type) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, size_of(type).count);
  return bits;
}

void store_bits(std::byte* at, ElementType type, std::uint64_t bits) {
  std::memcpy(at, &bits, size_of(type).count);
}

double decode_float(std::uint64_t bits, ElementType type) {
  if (type == ElementType::float64) return std::bit_cast<double>(bits);
  const FloatFormat f = float_format(type);
  const auto magnitude = bits & (sign_bit(f) - 1);
  const double sign = bits & sign_bit(f) ? -1 : 1;
  if (magnitude > f.largest())
    return f.has_infinity && magnitude == f.largest() + 1
               ? sign * std::numeric_limits<double>::infinity()
               : std::numeric_limits<double>::quiet_NaN();
  const auto hidden = std::uint64_t{1} << f.fraction_bits;
  const auto fraction = magnitude & (hidden - 1);
  const auto exponent = static_cast<int>(magnitude >> f.fraction_bits);
  const auto significand = static_cast<double>(exponent == 0 ? fraction : hidden + fraction);
  return sign * std::ldexp(significand, std::max(exponent, 1) - f.bias() - f.fraction_bits);
}

std::uint64_t encode_float(double value, ElementType type) {
  const FloatFormat f = float_format(type);
  if (std::isnan(value)) return f.nan();
  if (type == ElementType::float64) return std::bit_cast<std::uint64_t>(value);
  const auto sign = std::signbit(value) ? sign_bit(f) : 0;
  const double magnitude = std::abs(value);
  const auto too_large = f.saturates ? f.largest() : f.largest() + 1;
  if (std::isinf(magnitude)) return sign | too_large;
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), f.smallest_exponent());
  // In units of the last place: at most 2^precision, so the rounding below is the only one.
  const double units = std::nearbyint(std::ldexp(magnitude, f.fraction_bits - exponent));
  // A normal number's hidden bit adds the one that the exponent field is short of; a denormal has
  // neither; rounding up to the next power of two carries into the field by itself.
  const auto field = static_cast<std::uint64_t>(exponent - f.smallest_exponent());
  if (exponent > f.bias() + 1) return sign | too_large;
  const auto bits = (field << f.fraction_bits) + static_cast<std::uint64_t>(units);
  return sign | std::min(bits, too_large);
}

std::string element_to_string(std::uint64_t bits, ElementType type) {
  const auto width = 8 * size_of(type).count;
  if (is_floating(type)) {
    std::array<char, 32> text{};
    const int digits = type == ElementType::float64 ? 17 : 9;
    std::snprintf(text.data(), text.size(), "%.*g", digits, decode_float(bits, type));
    return text.data();
  }
  if (!is_signed(type)) return std::to_string(bits);
  return std::to_string(static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width));
}

}  // namespace ringside
