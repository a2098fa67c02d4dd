#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/units.hpp"

namespace ringside {

/// NCCL's data types, under nccl-tests' names.
enum class ElementType : std::uint8_t {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  f8e4m3,
  f8e5m2,
};
inline constexpr std::size_t element_type_count = 12;

/// NCCL's reductions; mulsum is nccl-tests' pre-multiplied sum.
enum class ReduceOp : std::uint8_t { sum, prod, min, max, avg, mulsum };
inline constexpr std::size_t reduce_op_count = 6;

/// `int8` ... `half` `bfloat16` `float` `double` `f8e4m3` `f8e5m2`
std::string_view name(ElementType type);
std::string_view name(ReduceOp op);
Result<ElementType> parse_element_type(std::string_view text);
Result<ReduceOp> parse_reduce_op(std::string_view text);
Bytes size_of(ElementType type);
bool is_floating(ElementType type);
bool is_signed(ElementType type);  ///< floating types included

/// How a floating type spends its bits after the sign. IEEE 754, except that f8e4m3 gives up
/// infinity for range: 0x7f and 0xff are its only NaNs ("FP8 formats for deep learning",
/// Micikevicius et al. 2022).
struct FloatFormat {
  int exponent_bits, fraction_bits;
  bool has_infinity;
  /// What is too large becomes the largest finite value, not infinity: CUDA's default for both fp8
  /// types, and so NCCL's.
  bool saturates;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int smallest_exponent() const { return 1 - bias(); }  ///< of a normal number
  constexpr int precision() const { return fraction_bits + 1; }   ///< hidden bit included
  /// Bit patterns without the sign: of the largest finite value, and of the one NaN that arithmetic
  /// gives.
  std::uint64_t largest() const;
  std::uint64_t nan() const;
};
FloatFormat float_format(ElementType type);  ///< floating types only

/// An element's bits in the low size_of(type) bytes, and back. `at` needs no alignment.
std::uint64_t load_bits(const std::byte* at, ElementType type);
void store_bits(std::byte* at, ElementType type, std::uint64_t bits);

/// The value of a floating element; exact, as every format is narrower than double or is double.
double decode_float(std::uint64_t bits, ElementType type);
/// The nearest element, ties to even, denormals kept. Too large: infinity, or the largest finite
/// value for the fp8 types (infinity itself too). Any NaN gives the type's one positive quiet NaN.
std::uint64_t encode_float(double value, ElementType type);

/// `-3`, `1.5`, `nan`: an element as people read it.
std::string element_to_string(std::uint64_t bits, ElementType type);

}  // namespace ringside
