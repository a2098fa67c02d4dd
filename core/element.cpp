#include "core/element.hpp"

#include <array>

#include "core/suggest.hpp"

namespace ringside {
namespace {

constexpr std::array<std::string_view, element_type_count> type_names{
    "int8", "uint8",    "int32", "uint32", "int64",  "uint64",
    "half", "bfloat16", "float", "double", "f8e4m3", "f8e5m2"};
constexpr std::array<std::uint8_t, element_type_count> type_sizes{1, 1, 4, 4, 8, 8,
                                                                  2, 2, 4, 8, 1, 1};
constexpr std::array<std::string_view, reduce_op_count> op_names{"sum", "prod", "min",
                                                                 "max", "avg",  "mulsum"};

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

Result<ElementType> parse_element_type(std::string_view text) {
  for (std::size_t i = 0; i < element_type_count; ++i)
    if (text == type_names[i]) return static_cast<ElementType>(i);
  return bad_request(unknown("data type", text, type_names));
}

Result<ReduceOp> parse_reduce_op(std::string_view text) {
  for (std::size_t i = 0; i < reduce_op_count; ++i)
    if (text == op_names[i]) return static_cast<ReduceOp>(i);
  return bad_request(unknown("reduction", text, op_names));
}

}  // namespace ringside
