#pragma once

#include <cstdint>
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

std::string_view name(
    ElementType type);  ///< `int8` ... `half` `bfloat16` `float` `double` `f8e4m3` `f8e5m2`
std::string_view name(ReduceOp op);
Result<ElementType> parse_element_type(std::string_view text);
Result<ReduceOp> parse_reduce_op(std::string_view text);
Bytes size_of(ElementType type);
bool is_floating(ElementType type);

}  // namespace ringside
